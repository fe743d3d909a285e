import { describe, expect, it } from 'vitest';
import { backoffMs, tryDelivery } from './attempt.ts';
import type { Consumer, Delivery } from './port.ts';

const delivery = (attempt: number): Delivery => ({
  attempt,
  message: {
    ...{ id: '1', subject: 'billing.low', key: 'a' },
    envelope: {
      ...{ event_id: '1', event_type: 'billing.low', occurred_at: '', version: '1', correlation_id: '1' },
      payload: {},
    },
  },
});
const fails = (what: string) => async () => {
  throw new Error(what);
};
const consumer = (more: Partial<Consumer>): Consumer => ({
  ...{ name: 'c', subjects: ['>'], maxDeliver: 3, ackWaitMs: 1, backoffMs: 10, maxBackoffMs: 35, concurrency: 1 },
  handle: async () => undefined,
  dead: async () => undefined,
  ...more,
});

describe('a try', () => {
  it('waits twice as long from time to time, up to a limit', () => {
    expect([1, 2, 3, 4, 500].map((attempt) => backoffMs(consumer({}), attempt))).toEqual([10, 20, 35, 35, 35]);
  });

  it('is over when the handler says so', async () => {
    expect(await tryDelivery('postgres', consumer({}), delivery(1))).toBe('done');
  });

  it('asks for another one before the last', async () => {
    const outcome = await tryDelivery('nats', consumer({ handle: fails('no') }), delivery(2));
    expect(outcome).toEqual({ againInMs: 20, reason: 'no' });
  });

  it.each([
    ['the last one failed', 3, {}, 'no'],
    ['the last one never came to an end', 4, {}, 'the last try did not come to an end'],
    ['the burial has to be tried again', 4, { lastReason: 'no' }, 'no'],
    ['nobody can read it', 1, { unreadable: 'odd' }, 'odd'],
  ])('buries the message when %s', async (_, attempt, known, reason) => {
    const buried: string[] = [];
    const dead = async (_delivery: Delivery, why: string) => void buried.push(why);
    expect(await tryDelivery('nats', consumer({ handle: fails('no'), dead }), delivery(attempt), known)).toBe('done');
    expect(buried).toEqual([reason]);
  });

  it('keeps the message when it cannot be buried', async () => {
    const outcome = await tryDelivery('nats', consumer({ handle: fails('no'), dead: fails('full') }), delivery(3));
    expect(outcome).toEqual({ againInMs: 35, reason: 'no' });
  });
});

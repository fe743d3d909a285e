import { env } from 'node:process';
import { projectCreated } from '@gpuaas/contract';
import fc from 'fast-check';
import { Type } from 'typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '../../kernel/id.ts';
import type { Consuming } from '../../ports/bus/port.ts';
import { type Listener, listener, relayName } from './index.ts';
import { addEffect, type Desk, eventually, openDesk } from './testing.ts';

/**
 * Whatever happens in whatever order (events come, the consumer breaks and is mended, the bus is lost and filled again, letters
 * are sent again), in the end each event has had its effect once, or is a letter that an operator discarded.
 */
const runs = Number(env['GPUAAS_LOSSES'] ?? 4);
const steps = ['event', 'event', 'event', 'break', 'mend', 'lose the bus', 'send again', 'discard'] as const;
type Step = (typeof steps)[number];

let desk: Desk;
let operator: string;
let consuming: Consuming;
let isBroken = false;
const diary: Listener = listener({
  event: { ...projectCreated, payload: Type.Any() },
  action: 'test.write_down',
  async effect(tx, _payload, envelope) {
    await tx.run(addEffect, ['diary', envelope.event_id]);
    // After the row: a failed try must not leave it behind.
    if (isBroken) throw new Error('the consumer is broken');
    return { type: 'event', id: envelope.event_id };
  },
});
beforeAll(async () => {
  desk = await openDesk();
  operator = await desk.world.operator();
  await desk.outbox().startRelay();
  consuming = await desk.consumer('diary', [diary]);
});
afterAll(() => desk?.close());

const letters = async () => {
  const reply = await desk.world.call('GET', '/api/v1/admin/dlq/messages?limit=100', { as: operator });
  expect(reply.status, reply.text).toBe(200);
  return reply.body.data as { stream_seq: string; event_id: string }[];
};
const settle = async (how: 'requeue' | 'discard', sequence: string) => {
  const reply = await desk.world.call('POST', `/api/v1/admin/dlq/messages/${sequence}/${how}`, {
    ...{ as: operator, key: systemIds.next(), body: { reason: 'the property asks for it' } },
  });
  expect(reply.status, reply.text).toBe(200);
};
const loseTheBus = async () => {
  await consuming.close();
  desk.bus.away = true;
  await desk.bus.replace();
  consuming = await desk.consumer('diary', [diary]);
  desk.bus.away = false;
  await desk.relayDb.outbox.rewind(relayName);
};

async function take(step: Step, sent: string[], discarded: Set<string>): Promise<void> {
  if (step === 'event') sent.push(await desk.slip('tenancy.project.created', { n: sent.length }));
  else if (step === 'break' || step === 'mend') isBroken = step === 'break';
  else if (step === 'lose the bus') await loseTheBus();
  else {
    const [letter] = await letters();
    if (!letter) return;
    await settle(step === 'discard' ? 'discard' : 'requeue', letter.stream_seq);
    if (step === 'discard') discarded.add(letter.event_id);
  }
}

describe('events that meet losses of every kind', () => {
  it('have one effect each, or are letters that were discarded', { timeout: 600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...steps), { minLength: 4, maxLength: 12 }), async (order) => {
        const sent: string[] = [];
        const discarded = new Set<string>();
        for (const step of order) await take(step, sent, discarded);
        isBroken = false;
        // An operator sends again what lies there until nothing does, and everything has arrived.
        await eventually(async () => {
          for (const { stream_seq } of await letters()) await settle('requeue', stream_seq);
          const effects = await desk.effects();
          return sent.every((event) => discarded.has(event) || `diary ${event}` in effects);
        });
        // The relay writes down how far it is with its next look.
        await eventually(async () => (await desk.relayDb.outbox.backlog(relayName)).pending === 0);
        const effects = await desk.effects();
        for (const event of sent) {
          const times = effects[`diary ${event}`] ?? 0;
          expect({ event, times }).toEqual({ event, times: discarded.has(event) ? expect.any(Number) : 1 });
          expect(times).toBeLessThanOrEqual(1);
        }
      }),
      { numRuns: runs },
    );
  });
});

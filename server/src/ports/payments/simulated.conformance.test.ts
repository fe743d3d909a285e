import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeTestClock } from '../../kernel/clock.ts';
import { secondMs } from '../../kernel/units.ts';
import { openTestDatabase, type TestDatabase } from '../../testing/postgres.ts';
import { makeDatabaseOutage } from '../../testing/servers/outage.ts';
import { paymentsConformance, webhookSecret } from './conformance.ts';
import { openPayments } from './open.ts';
import { signBody } from './signature.ts';
import { openSimulatedProvider, type SimulatedProvider } from './simulated/provider.ts';

const checkoutUrl = 'http://127.0.0.1:1';
const startsAt = new Date('2026-03-04T05:06:07.000Z');

paymentsConformance('simulated', 'payments', async () => {
  const database = await openTestDatabase();
  const outage = makeDatabaseOutage(database.url);
  const clock = makeTestClock(startsAt);
  const config = { kind: 'simulated', url: database.url, checkoutUrl, webhookSecret } as const;
  const people = openSimulatedProvider({ url: database.url, clock });
  return {
    ...{ config, clock, people },
    open: () => openPayments(config, { clock }),
    breakDown: () => outage.begin(),
    recover: () => outage.end(),
    async close() {
      await people.close();
      await database.close();
    },
  };
});

paymentsConformance('disabled', 'nothing', async () => ({
  config: { kind: 'disabled' },
  clock: makeTestClock(startsAt),
  open: () => openPayments({ kind: 'disabled' }, { clock: makeTestClock(startsAt) }),
  breakDown: async () => undefined,
  recover: async () => undefined,
  close: async () => undefined,
}));

describe('the simulated provider', () => {
  let database: TestDatabase;
  let people: SimulatedProvider;
  const clock = makeTestClock(startsAt);
  const open = () => openPayments({ kind: 'simulated', url: database.url, checkoutUrl, webhookSecret }, { clock });
  beforeAll(async () => {
    database = await openTestDatabase();
    people = openSimulatedProvider({ url: database.url, clock });
  });
  afterAll(async () => {
    await people?.close();
    await database?.close();
  });
  const begin = async (reference: string) => {
    const payments = await open();
    const made = await payments.openCheckout({
      ...{ reference, customerId: 'cus_sim_lab', amountMinor: 2_500n, currency: 'USD', title: 'Balance' },
      ...{ expiresAt: new Date(clock.now().getTime() + 3_600 * secondMs), paidUrl: 'http://a/', leftUrl: 'http://b/' },
    });
    await payments.close();
    return 'checkoutId' in made ? made.checkoutId : '';
  };
  const takeAll = async () => {
    const taken = await people.takeDue(100);
    for (const { position } of taken) await people.delivered(position);
    return taken.map(({ body }) => JSON.parse(body) as { id: string; type: string });
  };

  it('sends the news of a payment once, twice, late or never, as it is told to', async () => {
    for (const fault of ['none', 'duplicate', 'late', 'lost'] as const) {
      await people.pay(await begin(fault), { last4: '4242', fault });
    }
    const now = await takeAll();
    expect(now).toHaveLength(3);
    expect(new Set(now.map(({ id }) => id)).size).toBe(2);
    await clock.advance(21 * secondMs);
    expect(await takeAll()).toMatchObject([{ type: 'checkout.session.completed' }]);
    expect(await takeAll()).toEqual([]);
  });

  it('lets late news arrive behind what happened afterwards', async () => {
    const paid = await people.pay(await begin('order'), { last4: '4242', fault: 'late' });
    await people.refundHere(paid?.payment_id ?? '', 500n);
    const first = await takeAll();
    await clock.advance(21 * secondMs);
    expect([...first, ...(await takeAll())].map(({ type }) => type)).toEqual([
      'charge.refunded',
      'checkout.session.completed',
    ]);
  });

  it('sends again what was not taken, and gives each to one sender at a time', async () => {
    await people.pay(await begin('again'), { last4: '4242' });
    const [mine, yours] = await Promise.all([people.takeDue(1), people.takeDue(1)]);
    expect([...mine, ...yours]).toHaveLength(1);
    expect(await takeAll()).toEqual([]);
    await clock.advance(11 * secondMs);
    expect(await takeAll()).toHaveLength(1);
  });

  it('keeps a card for the next time, and signs so that it is believed', async () => {
    expect(await people.savedCard('cus_sim_lab')).toBeUndefined();
    await people.pay(await begin('card'), { last4: '1881', saveCard: true });
    expect(await people.savedCard('cus_sim_lab')).toBe('1881');
    const [due] = await people.takeDue(1);
    const payments = await open();
    const bytes = Buffer.from(due?.body ?? '');
    const read = payments.readEvent(bytes, signBody(webhookSecret, bytes, clock.now()));
    await payments.close();
    expect(read).toMatchObject({ facts: { status: 'paid', amountMinor: 2_500n, reference: 'card' } });
  });
});

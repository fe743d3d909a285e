import { policies as definitions } from '@gpuaas/contract';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { actsOf } from '../../../kernel/act.ts';
import { systemClock } from '../../../kernel/clock.ts';
import { systemIds } from '../../../kernel/id.ts';
import { silentLog } from '../../../kernel/telemetry/log.ts';
import { makeMetrics } from '../../../kernel/telemetry/metrics.ts';
import type { DatabasePort } from '../../../ports/database/port.ts';
import type { Payments } from '../../../ports/payments/port.ts';
import { openSimulatedPayments } from '../../../ports/payments/simulated.ts';
import { asSystem, openWorld, type Tenant, type World } from '../../../testing/world.ts';
import { openAs } from '../../billing/testing.ts';
import type { Policies } from '../../policy/index.ts';
import { openPaymentWorld, type PaymentWorld } from '../testing.ts';
import { makeAutoTopUps } from './auto-top-up.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
let world: World;
let pay: PaymentWorld;
let billing: DatabasePort;
let payments: Payments;
const policies = {
  value: (key: string) => definitions.find((each) => each.key === key)?.default,
} as unknown as Policies;
Object.assign(policies, { number: policies.value });

beforeAll(async () => {
  world = await openWorld({ policies: { 'rate_limit.financial_requests_per_minute': 100_000 } });
  pay = await openPaymentWorld(world);
  billing = await openAs(world.schema, 'gpuaas_billing');
  payments = openSimulatedPayments({ url: world.schema.url, checkoutUrl: 'http://127.0.0.1:1', clock: systemClock });
});
afterAll(async () => {
  await payments?.close();
  await billing?.close();
  await pay?.close();
  await world?.close();
});

const never = new AbortController().signal;
const worker = (by: Payments = payments) =>
  makeAutoTopUps({
    ...{ db: billing.database, begin: actsOf('billing-worker', systemIds), ids: systemIds, clock: systemClock },
    ...{ log: silentLog, metrics: makeMetrics('test', '0.0.0'), policies, payments: by },
  });
const round = (by?: Payments) => worker(by).round(never);
const of = (tenant: Tenant, rest: string) => `/api/v1/organizations/${tenant.organizationId}/payments/${rest}`;
const call = (tenant: Tenant, method: string, rest: string, body?: object) =>
  world.call(method, of(tenant, rest), { as: tenant.token, key: systemIds.next(), ...(body && { body }) });
/** Saves a card as a person does: on the page of the provider. */
async function saveCard(tenant: Tenant, last4 = '4242'): Promise<void> {
  const begun = await call(tenant, 'POST', 'methods', {});
  expect(begun.status, begun.text).toBe(201);
  expect(await pay.people.finishSetup((begun.body.url as string).split('/').at(-1) ?? '', last4)).toBeDefined();
}
const wish = {
  enabled: true,
  currency: 'USD',
  threshold_minor: '500',
  amount_minor: '2000',
  monthly_limit_minor: '5000',
};
async function begun(name: string, last4?: string, more: object = {}): Promise<Tenant> {
  const tenant = await world.found(name);
  await saveCard(tenant, last4);
  const set = await call(tenant, 'PUT', 'auto-top-up', { ...wish, ...more });
  expect(set.status, set.text).toBe(200);
  return tenant;
}
const setting = async (tenant: Tenant) => (await call(tenant, 'GET', 'auto-top-up')).body;
const automatic = async (tenant: Tenant) =>
  (
    await world.root.query(
      `select state, crossing::int as crossing, attempt from payment_sessions where organization_id = $1 and crossing is not null
       order by created_at`,
      [tenant.organizationId],
    )
  ).rows;
const eventsOf = async (tenant: Tenant, type: string) =>
  (
    await world.root.query(
      `select envelope->'payload' as payload from outbox_events where envelope->>'event_type' = $1
         and envelope->>'organization_id' = $2 order by envelope->>'occurred_at'`,
      [type, tenant.organizationId],
    )
  ).rows.map(({ payload }) => payload);
const spend = (tenant: Tenant, amount: bigint) =>
  asSystem(
    world.root,
    `insert into ledger_entries (id, organization_id, currency, kind, accounts, amounts, actor_id, correlation_id, reason)
     values ($1, $2, 'USD', 'refund', '{customer,payments}', array[$3::bigint, -$3::bigint], 'test', 'test', 'spent')`,
    [systemIds.next(), tenant.organizationId, -amount],
  );
/** A second ago: the worker's clock has whole milliseconds, the database's has microseconds and can be ahead of it by one. */
const retryNow = (tenant: Tenant) =>
  asSystem(
    world.root,
    `update auto_top_ups set next_attempt_at = act_time() - interval '1 second' where organization_id = $1`,
    [tenant.organizationId],
  );

describe('saved cards', () => {
  it('are saved on the page of the provider, listed, made the default and removed', async () => {
    const tenant = await world.found('cards');
    expect((await call(tenant, 'GET', 'methods')).body).toEqual({ data: [] });
    await saveCard(tenant, '4242');
    await saveCard(tenant, '1881');
    const [newest, oldest] = (await call(tenant, 'GET', 'methods')).body.data;
    expect([newest, oldest]).toMatchObject([
      { last4: '1881', is_default: false },
      { last4: '4242', is_default: true },
    ]);
    expect((await call(tenant, 'POST', `methods/${newest.id}/default`)).body).toMatchObject({ is_default: true });
    expect((await call(tenant, 'DELETE', `methods/${oldest.id}`)).body).toEqual({ id: oldest.id });
    expect((await call(tenant, 'GET', 'methods')).body.data).toMatchObject([{ id: newest.id, is_default: true }]);
  });

  it('of another organization cannot be chosen or removed', async () => {
    const [mine, yours] = [await world.found('mine'), await world.found('yours')];
    await saveCard(mine);
    await saveCard(yours);
    const [card] = (await call(mine, 'GET', 'methods')).body.data;
    expect((await call(yours, 'POST', `methods/${card.id}/default`)).body.code).toBe('payment_method_not_found');
    await call(yours, 'DELETE', `methods/${card.id}`);
    expect((await call(mine, 'GET', 'methods')).body.data).toHaveLength(1);
  });

  it('that automatic top-ups charge stay until another is the default', async () => {
    const tenant = await begun('in-use');
    const [card] = (await call(tenant, 'GET', 'methods')).body.data;
    expect((await call(tenant, 'DELETE', `methods/${card.id}`)).body.code).toBe('payment_method_in_use');
    expect((await call(tenant, 'PUT', 'auto-top-up', { enabled: false })).body).toMatchObject({
      ...{ enabled: false, amount: { amount_minor: '2000', currency: 'USD' } },
    });
    expect((await call(tenant, 'DELETE', `methods/${card.id}`)).status).toBe(200);
  });
});

describe('an automatic top-up', () => {
  it('needs a saved card, amounts within the bounds and the version that was seen', async () => {
    const tenant = await world.found('bounds');
    const set = (more: object) => call(tenant, 'PUT', 'auto-top-up', { ...wish, ...more });
    expect((await set({})).body.code).toBe('payment_method_not_found');
    await saveCard(tenant);
    expect((await set({ amount_minor: '999' })).body.code).toBe('amount_out_of_bounds');
    expect((await set({ monthly_limit_minor: '1999' })).body.code).toBe('amount_out_of_bounds');
    expect((await set({ threshold_minor: '10001' })).body).toMatchObject({
      ...{ code: 'amount_out_of_bounds', details: { maximum: { amount_minor: '10000' } } },
    });
    expect((await set({ currency: 'EUR' })).body.code).toBe('currency_mismatch');
    expect((await set({ version: 3 })).body.code).toBe('version_conflict');
    expect((await set({ version: 0 })).body).toMatchObject({ enabled: true, version: 1, pending: null });
  });

  it('is charged once for a crossing, by however many workers, and again for the next one', async () => {
    const tenant = await begun('once');
    await Promise.all([round(), round(), round()]);
    await round();
    expect(await pay.balance(tenant)).toBe(2_000n);
    expect(await automatic(tenant)).toMatchObject([{ state: 'paid', attempt: 1 }]);
    expect(new Set(await pay.deliver())).toEqual(new Set([200]));
    expect(await pay.balance(tenant)).toBe(2_000n);
    await spend(tenant, 1_600n);
    await round();
    await round();
    expect(await pay.balance(tenant)).toBe(2_400n);
    expect(await automatic(tenant)).toMatchObject([{ state: 'paid' }, { state: 'paid' }]);
    await pay.compare();
    expect(await pay.balance(tenant)).toBe(2_400n);
    expect(await eventsOf(tenant, 'payments.balance_credited')).toHaveLength(2);
  });

  it('that was killed before or after the charge is finished once', async () => {
    const tenant = await begun('killed');
    const dies = (when: 'before' | 'after'): Payments => ({
      ...payments,
      async charge(order) {
        if (when === 'after') await payments.charge(order);
        throw new Error('killed');
      },
    });
    await round(dies('before'));
    await round(dies('after'));
    expect(await pay.balance(tenant)).toBe(0n);
    expect(await automatic(tenant)).toMatchObject([{ state: 'open', attempt: 1 }]);
    await round();
    await pay.deliver();
    expect(await pay.balance(tenant)).toBe(2_000n);
    expect(await automatic(tenant)).toMatchObject([{ state: 'paid', attempt: 1 }]);
  });

  it('stops at the limit of the month, and says so once', async () => {
    const tenant = await begun('limit', '4242', { threshold_minor: '9000' });
    for (let n = 0; n < 8; n += 1) await round();
    expect(await pay.balance(tenant)).toBe(4_000n);
    expect(await eventsOf(tenant, 'payments.auto_top_up_failed')).toMatchObject([
      { reason: 'monthly_limit', turned_off: false },
    ]);
    expect(await setting(tenant)).toMatchObject({ enabled: true, added_this_month: { amount_minor: '4000' } });
  });

  it('that is declined is tried again with growing waits, and turned off in the end', async () => {
    const tenant = await begun('declined', '0341');
    for (let n = 0; n < 3; n += 1) {
      await round();
      await round();
      if (n < 2) await retryNow(tenant);
    }
    expect(await automatic(tenant)).toMatchObject([{ attempt: 1 }, { attempt: 2 }, { attempt: 3 }]);
    const events = await eventsOf(tenant, 'payments.auto_top_up_failed');
    expect(events).toMatchObject([
      { reason: 'declined', failures: 1, turned_off: false },
      { reason: 'declined', failures: 2, turned_off: false },
      { reason: 'declined', failures: 3, turned_off: true, next_attempt_at: null },
    ]);
    const waits = events.slice(0, 2).map(({ next_attempt_at }) => Date.parse(next_attempt_at) - Date.now());
    expect((waits[1] ?? 0) / (waits[0] ?? 1)).toBeCloseTo(2, 1);
    expect(await setting(tenant)).toMatchObject({
      ...{ enabled: false, turned_off: 'failures', failures: 3, last_failure: 'the card was declined' },
    });
    await round();
    expect(await pay.balance(tenant)).toBe(0n);
    expect((await call(tenant, 'PUT', 'auto-top-up', { enabled: true })).body).toMatchObject({
      ...{ enabled: true, turned_off: null, failures: 0 },
    });
    await call(tenant, 'PUT', 'auto-top-up', { enabled: false });
  });

  it('that is saved again after a failure keeps its wait, until another card is the default', async () => {
    const tenant = await begun('saved-again', '0341');
    await round();
    await round();
    const { failures, next_attempt_at } = await setting(tenant);
    expect([failures, next_attempt_at]).toEqual([1, expect.any(String)]);
    expect((await call(tenant, 'PUT', 'auto-top-up', wish)).body).toMatchObject({ failures, next_attempt_at });
    await round();
    expect(await automatic(tenant)).toHaveLength(1);
    await saveCard(tenant);
    const [newest] = (await call(tenant, 'GET', 'methods')).body.data;
    await call(tenant, 'POST', `methods/${newest.id}/default`);
    expect((await call(tenant, 'PUT', 'auto-top-up', wish)).body).toMatchObject({ failures: 0, next_attempt_at: null });
    await round();
    expect(await pay.balance(tenant)).toBe(2_000n);
  });

  it('that the bank wants confirmed waits on a page, and is credited when it is paid there', async () => {
    const tenant = await begun('confirm', '3184');
    await round();
    await round();
    const { pending } = await setting(tenant);
    expect(await eventsOf(tenant, 'payments.auto_top_up_action_required')).toMatchObject([
      { payment_id: pending.payment_id, amount_minor: '2000' },
    ]);
    expect(await automatic(tenant)).toMatchObject([{ state: 'open', attempt: 1 }]);
    await pay.people.pay(pending.url.split('/').at(-1), { last4: '3184' });
    expect(new Set(await pay.deliver())).toEqual(new Set([200]));
    expect(await pay.balance(tenant)).toBe(2_000n);
    expect(await setting(tenant)).toMatchObject({ pending: null, failures: 0 });
  });
});

describe('limits for new payers', () => {
  it('bound a day and a month, say what is left, and grow with payments that have settled', async () => {
    const tenant = await world.found('new-payer');
    const begin = (amount: string) => pay.begin(tenant, amount);
    expect((await begin('100000')).status).toBe(201);
    const refused = await begin('1000');
    expect(refused).toMatchObject({ status: 422, body: { code: 'deposit_limit_exceeded' } });
    expect(refused.body.details).toMatchObject({ day: { left: { amount_minor: '0' } }, grows_at: null });
    const [row] = (await world.call('GET', of(tenant, 'sessions'), { as: tenant.token })).body.data;
    await pay.people.pay(row.url.split('/').at(-1), { last4: '4242' });
    await pay.deliver();
    expect((await begin('1000')).body.details.grows_at).toEqual(expect.any(String));
    await asSystem(
      world.root,
      `update payment_sessions set settled_at = now() - interval '8 days', version = version + 1 where id = $1`,
      [row.id],
    );
    expect((await begin('100000')).status).toBe(201);
    expect((await call(tenant, 'GET', 'options')).body.limits).toMatchObject({
      ...{ settled_payments: 1, day: { limit: { amount_minor: '200000' }, left: { amount_minor: '0' } } },
    });
  });

  it('grow by what has settled, not by how many payments it was', async () => {
    const tenant = await world.found('small-payments');
    for (let n = 0; n < 3; n += 1) {
      const { checkoutId } = await pay.begun(tenant, '1000');
      await pay.people.pay(checkoutId, { last4: '4242' });
    }
    await pay.deliver();
    await asSystem(
      world.root,
      `update payment_sessions set settled_at = now() - interval '8 days', version = version + 1 where organization_id = $1`,
      [tenant.organizationId],
    );
    expect((await call(tenant, 'GET', 'options')).body.limits).toMatchObject({
      ...{
        settled_payments: 3,
        day: { limit: { amount_minor: '103000' } },
        month: { limit: { amount_minor: '303000' } },
      },
    });
  });

  it('hold for payments that are begun at once', async () => {
    const tenant = await world.found('at-once');
    const answers = await Promise.all(Array.from({ length: 4 }, () => pay.begin(tenant, '40000')));
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, 201, 422, 422]);
  });
});

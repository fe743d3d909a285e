import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { systemIds } from '../../kernel/id.ts';
import { asSystem, openWorld, type Tenant, type World } from '../../testing/world.ts';
import { openPaymentWorld, type PaymentWorld } from './testing.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
let world: World;
let pay: PaymentWorld;
let [first, second] = ['', ''];

beforeAll(async () => {
  world = await openWorld({ policies: { 'rate_limit.financial_requests_per_minute': 100_000 } });
  pay = await openPaymentWorld(world);
  [first, second] = [await world.operator('finance-one'), await world.operator('finance-two')];
});
afterAll(async () => {
  await pay?.close();
  await world?.close();
});

/** A payment that is too old to go back, and a day of usage with one window that spent of it. */
async function spent(name: string, amount: bigint): Promise<{ tenant: Tenant; payment: string; line: string }> {
  const tenant = await world.found(name);
  const { id: payment, checkoutId } = await pay.begun(tenant, '50000');
  await pay.people.pay(checkoutId, { last4: '4242' });
  await pay.deliver();
  await asSystem(
    world.root,
    `update payment_sessions set settled_at = now() - interval '31 days', version = version + 1 where id = $1`,
    [payment],
  );
  const [line, window, resource] = [systemIds.next(), systemIds.next(), systemIds.next()];
  await asSystem(
    world.root,
    `with w as (insert into usage_windows (id, organization_id, project_id, resource_id, meter, sku, requested_by, currency, unit,
         from_at, to_at, quantity_ms, rate_micro, exact, charged_minor, amount_minor, evidence)
       values ($2, $4, $5, $3, 'gpu_time', 'x', 'x', 'USD', 'gpu_hour', now(), now() + interval '1 minute', 1, 1, $6::numeric * 3600000000000, $6, $6, sha256('x'))),
     e as (insert into ledger_entries (id, organization_id, currency, kind, accounts, amounts, actor_id, correlation_id,
         project_id, document)
       values ($2, $4, 'USD', 'usage', '{customer,revenue}', array[-$6::bigint, $6::bigint], 'x', 'x', $5, sha256('x')))
     insert into usage_days (id, organization_id, day, resource_id, meter, project_id, sku, currency, requested_by,
       quantity_ms, amount_minor, windows)
     values ($1, $4, (now() at time zone 'UTC')::date, $3, 'gpu_time', $5, 'x', 'USD', 'x', 1, $6, 1)`,
    [line, window, resource, tenant.organizationId, tenant.projectId, amount],
  );
  return { tenant, payment, line };
}
const post = (path: string, body: object, as: string) =>
  world.call('POST', `/api/v1/admin/${path}`, {
    ...{ as, key: systemIds.next(), body: { currency: 'USD', reason: 'a slow disk', ...body } },
  });
const refund = (payment: string, amount_minor: string, as = first) =>
  post(`payments/sessions/${payment}/refunds`, { amount_minor, to: 'credit' }, as);
const adjust = (tenant: Tenant, corrects: string, amount_minor: string, as = first) =>
  post(`billing/accounts/${tenant.organizationId}/adjustments`, { amount_minor, corrects }, as);

describe('usage', () => {
  it('that was refunded as credit is not given back by a correction too', async () => {
    const { tenant, payment, line } = await spent('credit-first', 3_000n);
    expect((await refund(payment, '2000')).status).toBe(202);
    const refused = await adjust(tenant, line, '1001');
    expect(refused.body).toMatchObject({
      ...{ code: 'adjustment_invalid', message: expect.stringContaining('10.00 USD of the usage') },
    });
    expect((await adjust(tenant, line, '1000')).body.state).toBe('entered');
  });

  it('that a correction gave back, or that waits for approval, is not refunded as credit too', async () => {
    const { tenant, payment, line } = await spent('correction-first', 30_000n);
    expect((await adjust(tenant, line, '2000')).body.state).toBe('entered');
    expect((await adjust(tenant, line, '27000')).body.state).toBe('waiting');
    expect((await refund(payment, '1001', second)).body.code).toBe('refund_exceeds_payment');
    expect((await refund(payment, '1000', second)).status).toBe(202);
  });
});

describe('credit for a payment', () => {
  it('that one person gives is bounded within a day, together with corrections', async () => {
    const { tenant, payment, line } = await spent('alone', 40_000n);
    const refused = await refund(payment, '10001');
    expect([refused.status, refused.body.code]).toEqual([403, 'second_person_required']);
    expect(refused.body.message).toContain('gpuaas ops billing adjust');
    expect((await refund(payment, '6000')).status).toBe(202);
    expect((await refund(payment, '4001')).body.code).toBe('second_person_required');
    expect((await adjust(tenant, line, '4001')).body.state).toBe('waiting');
    expect((await adjust(tenant, line, '4000')).body.state).toBe('entered');
    expect((await refund(payment, '6000', second)).status).toBe(202);
  });
});

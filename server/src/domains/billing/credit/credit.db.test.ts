import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { actsOf } from '../../../kernel/act.ts';
import { systemIds } from '../../../kernel/id.ts';
import type { DatabasePort } from '../../../ports/database/port.ts';
import { asSystem, openWorld, type Tenant, type World } from '../../../testing/world.ts';
import { openPaymentWorld, type PaymentWorld } from '../../payments/testing.ts';
import { openAs } from '../testing.ts';
import { makeExpireCredit } from './work.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
let world: World;
let pay: PaymentWorld;
let finance = '';
let worker: DatabasePort;
let expire: ReturnType<typeof makeExpireCredit>;

beforeAll(async () => {
  world = await openWorld({ policies: { 'rate_limit.financial_requests_per_minute': 100_000 } });
  pay = await openPaymentWorld(world);
  finance = await world.operator('finance');
  worker = await openAs(world.schema, 'gpuaas_billing');
  expire = makeExpireCredit({
    ...{ db: worker.database, begin: actsOf('billing-worker', systemIds), ids: systemIds },
  });
});
afterAll(async () => {
  await worker?.close();
  await pay?.close();
  await world?.close();
});

const post = (path: string, body: object) => world.call('POST', path, { as: finance, key: systemIds.next(), body });
const accounts = (tenant: Tenant) => `/api/v1/admin/billing/accounts/${tenant.organizationId}`;
const usd = (amount_minor: string) => ({ amount_minor, currency: 'USD', reason: 'a welcome' });
async function give(tenant: Tenant, amount: string, expires_at?: string): Promise<string> {
  const made = await post(`${accounts(tenant)}/grants`, { ...usd(amount), ...(expires_at && { expires_at }) });
  expect(made.status, made.text).toBe(201);
  return made.body.id as string;
}
/** Counts what was used until now, as if time had passed since. */
const endAgo = async (tenant: Tenant, id: string, minutes: number) => {
  await expire(tenant.organizationId);
  await asSystem(world.root, `update credit_grants set expires_at = now() - make_interval(mins => $2) where id = $1`, [
    ...[id, minutes],
  ]);
};
const use = (tenant: Tenant, amount: bigint) =>
  asSystem(
    world.root,
    `insert into ledger_entries (id, organization_id, currency, kind, accounts, amounts, actor_id, correlation_id, project_id, document)
     values ($1, $2, 'USD', 'usage', '{customer,revenue}', array[-$3::bigint, $3::bigint], 'x', 'x', $4, sha256('x'))`,
    [systemIds.next(), tenant.organizationId, amount, tenant.projectId],
  );
const ofOrganization = (tenant: Tenant, what: string) =>
  world.call('GET', `/api/v1/organizations/${tenant.organizationId}/billing/${what}`, { as: tenant.token });
const balance = async (tenant: Tenant) => (await ofOrganization(tenant, 'balance')).body.balance.amount_minor;
const credit = async (tenant: Tenant) =>
  (
    (await ofOrganization(tenant, 'credit')).body.data as {
      id: string;
      state: string;
      left: { amount_minor: string };
    }[]
  )
    .map(({ id, state, left }) => [id, state, left.amount_minor] as const)
    .toReversed();

describe('credit that was granted', () => {
  it('has an end, which finance sets or billing.credit_days does, and never in the past', async () => {
    const tenant = await world.found('ends');
    const year = new Date(Date.now() + 365 * 86_400_000).toISOString().slice(0, 10);
    const usual = await post(`${accounts(tenant)}/grants`, usd('100'));
    expect(usual.body.expires_at.slice(0, 10)).toBe(year);
    const named = await post(`${accounts(tenant)}/grants`, { ...usd('100'), expires_at: '2099-01-01T00:00:00Z' });
    expect(named.body.expires_at).toBe('2099-01-01T00:00:00.000Z');
    const late = await post(`${accounts(tenant)}/grants`, { ...usd('100'), expires_at: '2020-01-01T00:00:00Z' });
    expect(late).toMatchObject({ status: 422, body: { code: 'period_invalid' } });
    expect(await balance(tenant)).toBe('200');
  });

  it('is burned soonest first, and what is left of it at its end leaves the balance once', async () => {
    const tenant = await world.found('burns');
    const late = await give(tenant, '1000', '2099-01-01T00:00:00Z');
    const soon = await give(tenant, '500', '2098-01-01T00:00:00Z');
    await use(tenant, 200n);
    expect(await credit(tenant)).toEqual([
      [late, 'open', '1000'],
      [soon, 'open', '300'],
    ]);
    await endAgo(tenant, soon, 60);
    expect(await expire(tenant.organizationId)).toBe(1);
    expect(await expire(tenant.organizationId)).toBe(0);
    expect(await balance(tenant)).toBe('1000');
    expect(await credit(tenant)).toEqual([
      [late, 'open', '1000'],
      [soon, 'expired', '0'],
    ]);
    await use(tenant, 400n);
    expect(await credit(tenant)).toEqual([
      [late, 'open', '600'],
      [soon, 'expired', '0'],
    ]);
    const lines = (await ofOrganization(tenant, 'ledger')).body.data as { kind: string; reason: string | null }[];
    expect(lines.find(({ kind }) => kind === 'correction')?.reason).toBe('The credit has expired.');
  });

  it('expires only after usage of its last minutes was charged', async () => {
    const tenant = await world.found('settles');
    const id = await give(tenant, '500');
    await endAgo(tenant, id, 5);
    expect(await expire(tenant.organizationId)).toBe(0);
    await use(tenant, 500n);
    await endAgo(tenant, id, 60);
    expect(await expire(tenant.organizationId)).toBe(0);
    expect(await balance(tenant)).toBe('0');
    expect(await credit(tenant)).toEqual([[id, 'used', '0']]);
  });

  it('is taken back by finance only as far as it has not expired', async () => {
    const tenant = await world.found('taken');
    const id = await give(tenant, '500', '2098-01-01T00:00:00Z');
    await give(tenant, '1000', '2099-01-01T00:00:00Z');
    await use(tenant, 100n);
    await endAgo(tenant, id, 60);
    expect(await expire(tenant.organizationId)).toBe(1);
    const adjust = (amount_minor: string) =>
      post(`${accounts(tenant)}/adjustments`, { ...usd(amount_minor), corrects: id });
    expect((await adjust('-101')).body.code).toBe('adjustment_invalid');
    expect((await adjust('-100')).body.state).toBe('entered');
  });

  it('never goes back to a payer, also where the payment was spent before', async () => {
    const tenant = await world.found('paid');
    const { id: paymentId, checkoutId } = await pay.begun(tenant, '2000');
    await pay.people.pay(checkoutId, { last4: '4242', fault: 'none' });
    await pay.deliver();
    await use(tenant, 1_500n);
    await give(tenant, '3000');
    expect(await balance(tenant)).toBe('3500');
    const refund = (amount: string) =>
      post(`/api/v1/admin/payments/sessions/${paymentId}/refunds`, { ...usd(amount), to: 'payer' });
    expect((await refund('501')).body).toMatchObject({
      ...{ code: 'insufficient_balance', message: expect.stringContaining('credit is not refunded') },
    });
    expect((await refund('500')).status).toBe(202);
  });

  it('has a row for each grant of the ledger, and no more left than was given', async () => {
    const tenant = await world.found('rows');
    const id = await give(tenant, '500');
    await expect(asSystem(world.root, 'update credit_grants set left_minor = 501 where id = $1', [id])).rejects.toThrow(
      'credit_grants_left',
    );
    const stray = `select e.id from ledger_entries e left join credit_grants g on g.id = e.id where e.kind = 'grant' and g.id is null`;
    expect((await world.root.query(stray)).rows).toEqual([]);
  });
});

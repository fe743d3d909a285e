import type { UsageProof } from '@gpuaas/contract';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { verifyProof } from '../../../../../cli/src/proof/verify.ts';
import { actsOf } from '../../../kernel/act.ts';
import { systemIds } from '../../../kernel/id.ts';
import { hourMs } from '../../../kernel/units.ts';
import type { DatabasePort } from '../../../ports/database/port.ts';
import { asSystem, openWorld, type Tenant, type World } from '../../../testing/world.ts';
import type { Policies } from '../../policy/index.ts';
import { type Ask, asking, fetchFile, local, sha256Of, store } from '../../storage/testing.ts';
import { makeStepAccount } from '../ladder/ladder.ts';
import { openAs } from '../testing.ts';
import { makeChargeStorage } from './charge.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
let world: World;
let billing: DatabasePort;
let finance: string;
const policies = {
  'billing.enforce_balance': true,
  'billing.low_balance_threshold_minor': 0,
};
const rules = {
  value: (key: string) => (policies as Record<string, unknown>)[key],
  number: (key: string) => ({ 'billing.release_notice_minutes': 30, 'node.simulated_gpu_time_speed': 1 })[key] ?? 0,
} as unknown as Policies;
beforeAll(async () => {
  world = await openWorld({ policies });
  billing = await openAs(world.schema, 'gpuaas_billing');
  finance = await world.operator('finance');
});
afterAll(async () => {
  await billing?.close();
  await world?.close();
});

const prices = '/api/v1/admin/billing/storage-prices';
const setPrice = (body: object) =>
  world.call('POST', prices, {
    as: finance,
    key: systemIds.next(),
    body: { currency: 'USD', reason: 'a test', ...body },
  });
const pay = (tenant: Tenant, amount: string) =>
  world.call('POST', `/api/v1/admin/billing/accounts/${tenant.organizationId}/grants`, {
    ...{ as: finance, key: systemIds.next() },
    body: { amount_minor: amount, currency: 'USD', reason: 'a top-up' },
  });
/** Takes from the balance as a charge would. */
const spend = (tenant: Tenant, amount: bigint) =>
  asSystem(
    world.root,
    `insert into ledger_entries (id, organization_id, currency, kind, accounts, amounts, actor_id, correlation_id, reason)
     values ($1, $2, 'USD', 'refund', '{customer,payments}', array[$3::bigint, -$3::bigint], 'test', 'test', 'spent')`,
    [systemIds.next(), tenant.organizationId, -amount],
  );
const parts = () => ({ db: billing.database, begin: actsOf('billing-worker', systemIds), ids: systemIds });
const see = async (tenant: Tenant, rest: string) =>
  (await world.call('GET', `/api/v1/organizations/${tenant.organizationId}/billing/${rest}`, { as: tenant.token }))
    .body;
async function upload(ask: Ask, name: string, size = 3) {
  const { status, body } = await ask('POST', '/uploads', { path: `shared/${name}`, size_bytes: size });
  return { status, code: body.code as string | undefined, id: body.id as string };
}

describe('the price of storage', () => {
  it('is set from a moment on that has not passed, once for a currency and moment, and is never changed', async () => {
    const first = await setPrice({ rate_micro: '3000' });
    expect(first.body).toMatchObject({ currency: 'USD', rate_micro: '3000', state: 'current' });
    expect((await setPrice({ rate_micro: '1', effective_from: '2026-01-01T00:00:00Z' })).body.code).toBe(
      'price_backdated',
    );
    const later = { rate_micro: '4000', effective_from: '2099-01-01T00:00:00Z' };
    expect((await setPrice(later)).body.state).toBe('future');
    expect((await setPrice(later)).body.code).toBe('price_already_exists');
    const listed = await world.call('GET', prices, { as: finance });
    expect(listed.body.data.map(({ rate_micro }: { rate_micro: string }) => rate_micro)).toEqual(['4000', '3000']);
    const tenant = await world.found('sees-the-price');
    expect((await asking(world, tenant.token, tenant.projectId)('GET', '')).body.price).toEqual({
      ...{ currency: 'USD', rate_micro: '3000' },
    });
  });
});

describe('storage of an organization that pays ahead', () => {
  it('takes no files while the balance is spent, gives back and deletes what is there, and loses nothing', async () => {
    const tenant = await world.found('spent');
    const ask = asking(world, tenant.token, tenant.projectId);
    expect(await upload(ask, 'unpaid')).toMatchObject({ status: 402, code: 'storage_read_only' });
    await pay(tenant, '1000');
    await store(world, ask, 'shared/kept.txt', Buffer.from('kept'));
    await store(world, ask, 'shared/unwanted.txt', Buffer.from('unwanted'));
    const begun = await upload(ask, 'begun');
    await spend(tenant, 1_000n);
    expect((await ask('GET', '')).body).toMatchObject({ read_only: true, stored_bytes: 12 });
    expect(await upload(ask, 'more')).toMatchObject({ status: 402, code: 'storage_read_only' });
    const part = await ask('GET', `/uploads/${begun.id}/part?number=1&sha256=${sha256Of(Buffer.from('abc'))}`);
    expect([part.status, part.body.code]).toEqual([402, 'storage_read_only']);
    const copied = await ask('POST', '/copies', { from: 'shared/kept.txt', to: 'shared/copy.txt' });
    expect([copied.status, copied.body.code]).toEqual([402, 'storage_read_only']);
    expect(await fetchFile(world, ask, 'path=shared%2Fkept.txt')).toBe('kept');
    expect((await ask('DELETE', '/object?path=shared%2Funwanted.txt')).status).toBe(200);
    // The worker says what happened, with what is stored, and releases nothing of it.
    expect(await makeStepAccount({ ...parts(), policies: rules })(tenant.organizationId)).toMatchObject({
      ...{ state: 'depleted', release: false, stop: false },
    });
    const { rows } = await world.root.query(
      `select envelope -> 'payload' as payload from outbox_events where subject = 'billing.balance_depleted' and key = $1`,
      [tenant.organizationId],
    );
    expect(rows).toMatchObject([{ payload: { stored_bytes: 12, allocations: 0, releases_at: null } }]);
    await pay(tenant, '10');
    expect((await ask('GET', '')).body).toMatchObject({ read_only: false, stored_bytes: 12 });
    const address = await ask('GET', `/uploads/${begun.id}/part?number=1&sha256=${sha256Of(Buffer.from('abc'))}`);
    await world.call('PUT', local(address.body.url), {
      ...{ headers: { 'content-length': '3', ...address.body.headers }, body: Buffer.from('abc') },
    });
    expect((await ask('POST', `/uploads/${begun.id}/finish`, {})).status).toBe(201);
  });

  it('is a meter of its own in ledger, usage and runway, and its lines are recomputed from readings', async () => {
    const tenant = await world.found('metered');
    const ask = asking(world, tenant.token, tenant.projectId);
    await pay(tenant, '100000');
    await store(world, ask, 'shared/a.bin', Buffer.alloc(1_024 * 1_024));
    await ask('POST', '/copies', { from: 'shared/a.bin', to: 'shared/b.bin' });
    await asSystem(world.root, `update storage_buckets set stored_bytes = 1099511627776 where project_id = $1`, [
      tenant.projectId,
    ]);
    const charge = makeChargeStorage({ ...parts(), time: async () => new Date(Date.now() + 30 * hourMs) });
    while (await charge(3_600));
    const { data: lines } = await see(tenant, 'ledger');
    const usage = lines.filter(({ kind }: { kind: string }) => kind === 'usage');
    expect(usage.length).toBeGreaterThanOrEqual(2);
    expect(usage[0]).toMatchObject({
      meter: 'storage',
      sku: 'storage',
      allocation_id: null,
      project_id: tenant.projectId,
    });
    const series = await see(tenant, `usage/series?group_by=meter&to=2099-01-01&from=2098-12-30`);
    expect(series.data).toEqual([]);
    const to = new Date(Date.now() + 48 * hourMs).toISOString().slice(0, 10);
    const report = await see(tenant, `usage?group_by=meter&to=${to}&meter=storage`);
    const sum = usage.reduce((total: bigint, { amount }: { amount: { amount_minor: string } }) => {
      return total - BigInt(amount.amount_minor);
    }, 0n);
    expect(report.rows).toMatchObject([{ key: 'storage', meter: 'storage', amount: { amount_minor: String(sum) } }]);
    // 1,024 GiB at 0.003 minor units an hour, rounded.
    expect((await see(tenant, 'balance')).per_hour.amount_minor).toBe('3');
    for (const line of usage) {
      const proof: UsageProof = await see(tenant, `ledger/${line.id}/proof?limit=100`);
      const verdict = verifyProof([proof]);
      expect(verdict.problems).toEqual([]);
      expect(verdict).toMatchObject({ meter: 'storage', amountMinor: -BigInt(line.amount.amount_minor), records: 0 });
      const readings =
        proof.readings?.map((text, at) => (at === 0 ? text.replace(/\d+$/, (n) => `${n}9`) : text)) ?? [];
      expect(verifyProof([{ ...proof, readings }]).problems.length).toBeGreaterThan(0);
    }
    expect(await see(tenant, 'ledger/verify')).toMatchObject({ ok: true, problem: null });
  });
});

import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { actsOf } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { systemClock } from '../../../kernel/clock.ts';
import { systemIds } from '../../../kernel/id.ts';
import { silentLog } from '../../../kernel/telemetry/log.ts';
import { makeMetrics } from '../../../kernel/telemetry/metrics.ts';
import { minuteMs } from '../../../kernel/units.ts';
import type { DatabasePort } from '../../../ports/database/port.ts';
import { openPostgres } from '../../../ports/database/postgres.ts';
import { asSystem, openWorld, type Tenant, type World } from '../../../testing/world.ts';
import { sliceSku, testRegion } from '../../allocations/testing.ts';
import type { Policies } from '../../policy/index.ts';
import { makeLeases } from '../testing.ts';
import { makeLadder, makeStepAccount } from './ladder.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
let world: World;
let billing: DatabasePort;
let finance: string;
let leases: Awaited<ReturnType<typeof makeLeases>>;
let aheadMs = 0;
const clock: Clock = { ...systemClock, now: () => new Date(Date.now() + aheadMs) };

const settings: Record<string, number | boolean> = {
  ...{ 'billing.enforce_balance': true, 'billing.first_warning_minutes': 1_440, 'billing.second_warning_minutes': 360 },
  ...{ 'billing.last_warning_minutes': 60, 'billing.release_notice_minutes': 30, 'node.simulated_gpu_time_speed': 1 },
  ...{ 'billing.low_balance_threshold_minor': 500, 'billing.stopped_keep_minutes': 60 },
};
const policies = {
  value: (key: string) => settings[key],
  number: (key: string) => settings[key] as number,
} as unknown as Policies;
const metrics = makeMetrics('test', '0.0.0');

beforeAll(async () => {
  world = await openWorld();
  billing = await openPostgres({
    ...{ url: world.schema.as('gpuaas_billing'), clock, ids: systemIds, log: silentLog, name: 'test', poolSize: 4 },
  });
  finance = await world.operator('finance');
  leases = await makeLeases(world.root);
});
afterAll(async () => {
  await billing.close();
  await world.close();
});

const parts = () => ({ db: billing.database, begin: actsOf('billing-worker', systemIds), ids: systemIds, policies });
const round = () =>
  makeLadder({ ...parts(), log: silentLog, metrics: makeMetrics('test', '0.0.0') }).round(new AbortController().signal);
async function pay(tenant: Tenant, amount: bigint) {
  const made = await world.call('POST', `/api/v1/admin/billing/accounts/${tenant.organizationId}/grants`, {
    ...{ as: finance, key: systemIds.next() },
    body: { amount_minor: amount.toString(), currency: 'USD', reason: 'a top-up' },
  });
  if (made.status !== 201) throw new Error(made.text);
}
/** Takes from the balance as a charge would. */
const spend = (tenant: Tenant, amount: bigint) =>
  asSystem(
    world.root,
    `insert into ledger_entries (id, organization_id, currency, kind, accounts, amounts, actor_id, correlation_id, reason)
     values ($1, $2, 'USD', 'refund', '{customer,payments}', array[$3::bigint, -$3::bigint], 'test', 'test', 'spent')`,
    [systemIds.next(), tenant.organizationId, -amount],
  );
async function activate(tenant: Tenant, unitPriceMinor = 600n): Promise<string> {
  const { allocationId } = await leases.lease(tenant, { takenAt: systemClock.now(), unitPriceMinor });
  for (const state of ['provisioning', 'active']) {
    await asSystem(world.root, 'update allocations set state = $2, version = version + 1 where id = $1', [
      allocationId,
      state,
    ]);
  }
  return allocationId;
}
const eventsOf = async (tenant: Tenant) =>
  (
    await world.root.query<{ subject: string; envelope: { payload: Record<string, unknown> } }>(
      `select subject, envelope from outbox_events where organization_id = $1
         and (subject like 'billing.%' or subject = 'provisioning.force_release_requested') order by position`,
      [tenant.organizationId],
    )
  ).rows.map(({ subject, envelope }) => ({ subject, ...envelope.payload }));
const balance = async (tenant: Tenant) =>
  (await world.call('GET', `/api/v1/organizations/${tenant.organizationId}/billing/balance`, { as: tenant.token }))
    .body;

describe('the ladder', () => {
  it('warns once for each crossing, announces, says that nothing is left, stops machines, and asks for the release of everything', async () => {
    const tenant = await world.found('falls');
    const first = await activate(tenant);
    const second = await activate(tenant);
    // 12.00 an hour: 25 hours.
    await pay(tenant, 30_000n);
    await round();
    expect(await eventsOf(tenant)).toEqual([]);
    await spend(tenant, 2_000n);
    await round();
    await round();
    expect(await eventsOf(tenant)).toMatchObject([
      {
        subject: 'billing.low_balance_warning',
        organization_id: tenant.organizationId,
        ...{ balance_minor: '28000', per_hour_minor: '1200', runway_seconds: 84_000, allocations: 2 },
        ...{ threshold: 'runway', threshold_seconds: 86_400, threshold_minor: null, currency: 'USD' },
      },
    ]);
    await spend(tenant, 27_500n);
    await round();
    const announced = await balance(tenant);
    expect(announced).toMatchObject({ state: 'auto_release_pending', runway_seconds: 1_500 });
    await spend(tenant, 500n);
    await round();
    expect(await balance(tenant)).toMatchObject({ state: 'depleted', releases_at: announced.releases_at });
    expect((await eventsOf(tenant)).map(({ subject }) => subject)).toEqual([
      ...['billing.low_balance_warning', 'billing.auto_release_pending', 'billing.balance_depleted'],
    ]);
    expect(await balance(tenant)).toMatchObject({ stops_at: announced.stops_at, stopped_machines: 0 });
    aheadMs = 31 * minuteMs;
    await round();
    await round();
    expect((await eventsOf(tenant)).slice(3)).toMatchObject([{ subject: 'billing.machines_stopped', allocations: 2 }]);
    aheadMs = 92 * minuteMs;
    await round();
    await round();
    const asked = (await eventsOf(tenant)).slice(4);
    expect(asked).toMatchObject(
      [first, second].sort().map((allocation_id) => ({
        ...{ subject: 'provisioning.force_release_requested', allocation_id, reason: 'balance_depleted' },
      })),
    );
    aheadMs = 0;
  });

  it('tells what was released for lack of money and what it had cost, to those who may see the account', async () => {
    const tenant = await world.found('story');
    const path = `/api/v1/organizations/${tenant.organizationId}/billing/last-release`;
    const story = async () => (await world.call('GET', path, { as: tenant.token })).body;
    expect(await story()).toEqual({ organization_id: tenant.organizationId, release: null });
    const [dear, cheap, other] = [await activate(tenant), await activate(tenant), await activate(tenant)];
    const release = (id: string, reason: string, charged: number, backMinutes: number) =>
      asSystem(
        world.root,
        `with meter as (insert into usage_meters (resource_id, meter, organization_id, project_id, requested_by, sku, currency,
             rate_micro, unit, gpus, evidence_to, accrued_to, charged_minor)
           select a.id, 'gpu_time', a.organization_id, a.project_id, 'x', a.sku, 'USD', 1, 'gpu_hour', 1, now(), now(), $3
           from allocations a where a.id = $1)
         update allocations set state = 'releasing', release_reason = $2, version = version + 1,
           releasing_at = now() - make_interval(mins => $4) where id = $1`,
        [id, reason, charged, backMinutes],
      );
    await release(other, 'user', 9_999, 0);
    expect(await story()).toMatchObject({ release: null });
    await release(cheap, 'balance_depleted', 100, 5);
    await release(dear, 'balance_depleted', 900, 3);
    const { release: told } = await story();
    expect(told).toMatchObject({ count: 2, cost: { amount_minor: '1000', currency: 'USD' } });
    expect(told.allocations.map(({ id }: { id: string }) => id)).toEqual([dear, cheap]);
    expect(Date.parse(told.to) - Date.parse(told.from)).toBeGreaterThan(minuteMs);
    // A release of another day is another story.
    const last = await activate(tenant);
    await release(last, 'balance_depleted', 5, -120);
    expect((await story()).release).toMatchObject({ count: 1, allocations: [{ id: last }] });
  });

  it('is left by a top-up, which is told and calls the release off', async () => {
    const tenant = await world.found('rises');
    await activate(tenant);
    await pay(tenant, 100n);
    await round();
    expect(await balance(tenant)).toMatchObject({ state: 'auto_release_pending' });
    await pay(tenant, 100_000n);
    aheadMs = 31 * minuteMs;
    await round();
    aheadMs = 0;
    expect(await balance(tenant)).toMatchObject({ state: 'healthy', releases_at: null });
    expect((await eventsOf(tenant)).map(({ subject }) => subject)).toEqual([
      ...['billing.auto_release_pending', 'billing.balance_recovered'],
    ]);
  });

  it('leaves organizations alone that do not pay ahead', async () => {
    const tenant = await world.found('invoiced');
    await activate(tenant);
    settings['billing.enforce_balance'] = false;
    await round();
    settings['billing.enforce_balance'] = true;
    expect(await balance(tenant)).toMatchObject({ state: 'healthy', balance: { amount_minor: '0' } });
    expect(await eventsOf(tenant)).toEqual([]);
    await spend(tenant, 1n);
    await round();
    expect(await balance(tenant)).toMatchObject({ state: 'depleted' });
  });

  it('refuses launches while a release is announced, whatever the least runway is', async () => {
    const tenant = await world.found('announced');
    await activate(tenant);
    await pay(tenant, 100n);
    const strict = await openWorld({
      ...{ beside: world, policies: { 'billing.enforce_balance': true, 'billing.minimum_runway_minutes': 0 } },
    });
    try {
      const launch = () =>
        strict.call('POST', '/api/v1/allocations', {
          ...{ as: tenant.token, key: systemIds.next(), headers: { 'x-project-id': tenant.projectId } },
          body: { sku: sliceSku, gpus: 1, region: testRegion },
        });
      expect(await launch()).toMatchObject({
        ...{ status: 402, body: { code: 'insufficient_balance', details: { state: 'auto_release_pending' } } },
      });
      await pay(tenant, 100_000n);
      const made = await launch();
      expect(made.status, made.text).toBe(201);
    } finally {
      await strict.close();
    }
  });

  it('counts accounts by state, and those whose release is late', async () => {
    makeLadder({ ...parts(), log: silentLog, metrics });
    expect(await metrics.scrape()).toMatch(/gpuaas_billing_accounts\{.*state="depleted".*\} [1-9]/);
    expect(await metrics.scrape()).toMatch(/gpuaas_billing_releases_overdue\S* \d/);
  });
});

describe('a top-up that races the release', () => {
  /** An account whose release is due. */
  async function due(name: string): Promise<Tenant> {
    const tenant = await world.found(name);
    await activate(tenant);
    await spend(tenant, 10n);
    await makeStepAccount(parts())(tenant.organizationId);
    aheadMs = 31 * minuteMs;
    expect(await makeStepAccount(parts())(tenant.organizationId)).toMatchObject({ stop: true, release: false });
    aheadMs = 0;
    return tenant;
  }
  const released = async (tenant: Tenant) =>
    (await eventsOf(tenant)).some(({ subject }) => subject === 'provisioning.force_release_requested');

  it('comes first when it held the account first: nothing is released', async () => {
    const tenant = await due('first');
    const payer = new pg.Client({ connectionString: world.schema.url });
    await payer.connect();
    await payer.query('begin');
    const act = systemIds.next();
    await payer.query(`select set_config('gpuaas.act', $1, true), set_config('gpuaas.audited', $1, true)`, [act]);
    await payer.query(
      `insert into ledger_entries (id, organization_id, currency, kind, accounts, amounts, actor_id, correlation_id)
       values ($1, $2, 'USD', 'top_up', '{customer,payments}', '{100000,-100000}', 'test', 'test')`,
      [systemIds.next(), tenant.organizationId],
    );
    aheadMs = 92 * minuteMs;
    const deciding = makeStepAccount(parts())(tenant.organizationId);
    // The decision waits for the payment: it is not done before the payment commits.
    await vi.waitFor(
      async () => {
        const { rows } = await world.root.query(
          `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%billing_account_lock%'
             and datname = current_database()`,
        );
        expect(rows).toHaveLength(1);
      },
      { timeout: 60_000 },
    );
    await payer.query('commit');
    await payer.end();
    expect(await deciding).toMatchObject({ state: 'healthy', release: false });
    aheadMs = 0;
    expect(await released(tenant)).toBe(false);
  });

  it('comes second when the decision held the account first: everything is released, and the account recovers', async () => {
    const tenant = await due('second');
    aheadMs = 92 * minuteMs;
    expect(await makeStepAccount(parts())(tenant.organizationId)).toMatchObject({ release: true });
    await pay(tenant, 100_000n);
    expect(await makeStepAccount(parts())(tenant.organizationId)).toMatchObject({ state: 'healthy', release: false });
    aheadMs = 0;
    expect(await released(tenant)).toBe(true);
  });

  it('has one outcome in any order: released by a balance that was spent, or not at all', async () => {
    for (let n = 0; n < 6; n += 1) {
      const tenant = await due(`race-${n}`);
      aheadMs = 92 * minuteMs;
      const step = () => makeStepAccount(parts())(tenant.organizationId);
      const tasks = n % 2 === 0 ? [step(), pay(tenant, 100_000n), step()] : [pay(tenant, 100_000n), step(), step()];
      await Promise.all(tasks);
      await step();
      aheadMs = 0;
      const { rows } = await world.root.query<{ change: { spendable_minor: string; released?: number } }>(
        `select change from audit_logs where action = 'billing.ladder' and organization_id = $1`,
        [tenant.organizationId],
      );
      const releases = rows.filter(({ change }) => change.released !== undefined);
      expect(releases.length).toBeLessThanOrEqual(1);
      expect(releases.every(({ change }) => BigInt(change.spendable_minor) <= 0n)).toBe(true);
      expect(await released(tenant)).toBe(releases.length === 1);
      expect(await balance(tenant)).toMatchObject({ state: 'healthy' });
    }
  });
});

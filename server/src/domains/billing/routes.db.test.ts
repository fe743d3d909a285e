import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { actsOf } from '../../kernel/act.ts';
import { systemIds } from '../../kernel/id.ts';
import { minuteMs } from '../../kernel/units.ts';
import type { DatabasePort } from '../../ports/database/port.ts';
import { asSystem, auditedChange, openWorld, type Tenant, type World } from '../../testing/world.ts';
import { sliceSku, testRegion } from '../allocations/testing.ts';
import { makeAccrue } from './accrual.ts';
import { storeEvidence } from './evidence-store.ts';
import { microPerMinor } from './facts.ts';
import { actOf, type Lease, makeLeases, openAs } from './testing.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
let world: World;
let billing: DatabasePort;
let home: Tenant;
let finance: string;
let leases: Awaited<ReturnType<typeof makeLeases>>;
const base = Date.parse('2026-04-10T22:00:00.000Z');

beforeAll(async () => {
  world = await openWorld();
  billing = await openAs(world.schema, 'gpuaas_billing');
  home = await world.found('home');
  finance = await world.operator('finance');
  leases = await makeLeases(world.root);
});
afterAll(async () => {
  await billing.close();
  await world.close();
});

const path = (tenant: Tenant, rest: string) => `/api/v1/organizations/${tenant.organizationId}/billing/${rest}`;
const see = async (tenant: Tenant, rest: string) =>
  (await world.call('GET', path(tenant, rest), { as: tenant.token })).body;
const grant = (tenant: Tenant, body: object, as = finance) =>
  world.call('POST', `/api/v1/admin/billing/accounts/${tenant.organizationId}/grants`, {
    as,
    key: systemIds.next(),
    body,
  });
const credit = (amount: string) => ({ amount_minor: amount, currency: 'USD', reason: 'a welcome' });
/** Evidence of four hours, over midnight, and what it costs. */
async function use(tenant: Tenant, unitPriceMinor = 450n): Promise<Lease> {
  const lease = await leases.lease(tenant, { takenAt: new Date(base), unitPriceMinor });
  const at = (ms: number) => new Date(base + ms).toISOString();
  await world.database.database.write(actOf('test.use'), async (tx) => {
    const row = {
      node_id: lease.nodeId,
      allocation_id: lease.allocationId,
      generation: 1,
      gpus: lease.gpus,
      result_key: 'k',
      speed: 1,
    };
    const rows = [0, 1, 2, 3].map((n) => ({
      ...row,
      ...{ n, sequence: n + 1, from_at: at(n * 60 * minuteMs), to_at: at((n + 1) * 60 * minuteMs) },
      ...{ final: n === 3, record: `${lease.allocationId} ${n}` },
    }));
    return tx.commit(await storeEvidence(tx, rows, { microPerMinor, aheadMs: 0, now: new Date(), speed: 1 }), {
      target: { type: 'usage_evidence', id: 'test' },
      events: 'none',
    });
  });
  const accrue = makeAccrue({ db: billing.database, begin: actsOf('billing-worker', systemIds), ids: systemIds });
  while (await accrue(60));
  return lease;
}

describe('credit', () => {
  it('is given by finance with a reason, is in the balance at once, and is audited', async () => {
    expect(await see(home, 'balance')).toMatchObject({ balance: { amount_minor: '0', currency: 'USD' } });
    const made = await grant(home, credit('5000'));
    expect(made.status, made.text).toBe(201);
    expect(made.body).toMatchObject({ balance: { amount_minor: '5000' }, reason: 'a welcome' });
    expect(await see(home, 'balance')).toMatchObject({ balance: { amount_minor: '5000' }, runway_seconds: null });
    expect(await see(home, 'ledger')).toMatchObject({
      data: [{ id: made.body.id, kind: 'grant', amount: { amount_minor: '5000' }, reason: 'a welcome', windows: null }],
    });
    const { rows } = await world.root.query(
      `select actor_role, organization_id, ${auditedChange} from audit_logs l where action = 'billing.grant' and target_id = $1`,
      [made.body.id],
    );
    expect(rows).toMatchObject([{ organization_id: home.organizationId, change: { reason: 'a welcome' } }]);
  });

  it.each<[string, object, number, string]>([
    ['in another currency', { ...credit('100'), currency: 'EUR' }, 409, 'currency_mismatch'],
    ['of more than the policy allows', credit('1000001'), 422, 'amount_out_of_bounds'],
    ['of nothing', credit('0'), 400, 'validation_error'],
    ['of less than nothing', credit('-5'), 400, 'validation_error'],
    ['of a part of a cent', credit('1.5'), 400, 'validation_error'],
    ['without a reason', { amount_minor: '5', currency: 'USD', reason: '  ' }, 400, 'validation_error'],
  ])('is refused %s', async (_, body, status, code) => {
    const before = await see(home, 'balance');
    const refused = await grant(home, body);
    expect(refused, refused.text).toMatchObject({ status, body: { code } });
    expect(await see(home, 'balance')).toMatchObject({ balance: before.balance });
  });

  it('is for finance alone: owners and other operators are refused', async () => {
    expect((await grant(home, credit('5'), home.token)).status).toBe(403);
    const support = await world.token('support-person', { auth_time: Math.floor(world.now().getTime() / 1_000) });
    await world.call('GET', '/api/v1/me', { as: support });
    await asSystem(
      world.root,
      `insert into platform_role_bindings (user_id, role)
       select id, 'platform_ops' from users where oidc_subject = 'support-person'`,
      [],
    );
    expect(await grant(home, credit('5'), support)).toMatchObject({ status: 403 });
  });

  it('is seen by finance on the list of accounts, which says nothing of what runs', async () => {
    const { body } = await world.call('GET', '/api/v1/admin/billing/accounts?q=home', { as: finance });
    expect(body.data).toMatchObject([
      { organization_id: home.organizationId, slug: 'home', entries: expect.any(Number) },
    ]);
    expect(Object.keys(body.data[0]).sort()).toEqual(
      [
        ...['balance', 'charged_30_days', 'entries', 'held', 'name', 'organization_id', 'owner_name', 'releases_at'],
        ...['slug', 'state'],
      ].sort(),
    );
    const inState = async (state: string) =>
      (await world.call('GET', `/api/v1/admin/billing/accounts?q=home&state=${state}`, { as: finance })).body.data;
    expect(await inState('healthy')).toMatchObject([{ slug: 'home', state: 'healthy', releases_at: null }]);
    expect(await inState('depleted')).toEqual([]);
  });
});

describe('the ledger as people read it', () => {
  it('has a line for an allocation and day, which opens into its windows', async () => {
    const tenant = await world.found('reader');
    await grant(tenant, credit('10000'));
    const lease = await use(tenant);
    expect(await see(tenant, 'balance')).toMatchObject({ balance: { amount_minor: String(10_000 - 1_800) } });
    const { data } = await see(tenant, 'ledger');
    const usage = data.filter(({ kind }: { kind: string }) => kind === 'usage');
    expect(usage).toMatchObject([
      { day: '2026-04-11', amount: { amount_minor: '-900' }, allocation_id: lease.allocationId, windows: 120 },
      { day: '2026-04-10', amount: { amount_minor: '-900' }, quantity_ms: String(120 * minuteMs), sku: sliceSku },
    ]);
    const first = await see(tenant, `ledger/${usage[1].id}/windows?limit=100`);
    expect(first.data).toHaveLength(100);
    const rest = await see(tenant, `ledger/${usage[1].id}/windows?limit=100&cursor=${first.next_cursor}`);
    const windows = [...first.data, ...rest.data];
    expect(windows).toHaveLength(120);
    expect(windows[0]).toMatchObject({ from: '2026-04-10T22:00:00.000Z', rate_micro: '450000000', unit: 'gpu_hour' });
    expect(windows.reduce((sum, { amount }) => sum + Number(amount.amount_minor), 0)).toBe(900);
    expect(new Set(windows.map(({ from }) => from)).size).toBe(120);
  });

  it('is read page by page, each line once, newest day first', async () => {
    const tenant = await world.found('pager');
    for (const amount of ['1', '2', '3']) await grant(tenant, credit(amount));
    await use(tenant);
    const seen: { id: string; day: string }[] = [];
    for (let cursor = ''; ; ) {
      const part = await see(tenant, `ledger?limit=2${cursor}`);
      seen.push(...part.data);
      if (!part.has_more) break;
      cursor = `&cursor=${part.next_cursor}`;
    }
    expect(new Set(seen.map(({ id }) => id)).size).toBe(5);
    expect(seen.map(({ day }) => day)).toEqual(
      seen
        .map(({ day }) => day)
        .sort()
        .reverse(),
    );
    expect((await world.call('GET', path(tenant, 'ledger?cursor=nonsense'), { as: tenant.token })).status).toBe(400);
  });

  it('is recomputed on demand, and says what does not fit', async () => {
    const tenant = await world.found('checker');
    await grant(tenant, credit('700'));
    await use(tenant, 100n);
    expect(await see(tenant, 'ledger/verify')).toMatchObject({
      ...{ ok: true, problem: null, sum: { amount_minor: '300' }, balance: { amount_minor: '300' } },
    });
    await world.root.query(`begin; set local session_replication_role = 'replica'`);
    await world.root.query(
      `update usage_windows set quantity_ms = quantity_ms + 1 where organization_id = $1
       and from_at = '2026-04-10T22:00:00Z'`,
      [tenant.organizationId],
    );
    await world.root.query('commit');
    expect(await see(tenant, 'ledger/verify')).toMatchObject({
      ok: false,
      problem: expect.stringContaining('does not fit the usage'),
    });
  });

  it('is compared with the totals of days that people read', async () => {
    const tenant = await world.found('totals');
    const lease = await use(tenant);
    expect(await see(tenant, 'ledger/verify')).toMatchObject({ ok: true });
    await world.root.query(`begin; set local session_replication_role = 'replica'`);
    await world.root.query(
      `update usage_days set amount_minor = amount_minor - 1 where organization_id = $1 and day = '2026-04-11'`,
      [tenant.organizationId],
    );
    await world.root.query('commit');
    expect(await see(tenant, 'ledger/verify')).toMatchObject({
      ok: false,
      problem: `The total of 2026-04-11 for allocation ${lease.allocationId} is not the sum of its windows.`,
    });
  });

  it('says how far everything is charged: a meter that lags holds the time back', async () => {
    const tenant = await world.found('laggard');
    const first = await use(tenant);
    await use(tenant);
    const chargedTo = async () => (await see(tenant, 'balance')).charged_to;
    expect(await chargedTo()).toBe('2026-04-11T02:00:00.000Z');
    const accruedTo = async (at: string) => {
      await world.root.query(`begin; set local session_replication_role = 'replica'`);
      await world.root.query('update usage_meters set accrued_to = $2 where resource_id = $1', [
        first.allocationId,
        at,
      ]);
      await world.root.query('commit');
    };
    await accruedTo('2026-04-10T23:00:00Z');
    expect(await chargedTo()).toBe('2026-04-10T23:00:00.000Z');
    await accruedTo('2026-04-11T02:00:00Z');
  });

  it('shows on an allocation what was charged for it, and up to when', async () => {
    const tenant = await world.found('looker');
    const lease = await use(tenant);
    const { body } = await world.call('GET', `/api/v1/allocations/${lease.allocationId}`, {
      as: tenant.token,
      headers: { 'x-project-id': tenant.projectId },
    });
    expect(body.charged).toEqual({ amount_minor: '1800', currency: 'USD', charged_to: '2026-04-11T02:00:00.000Z' });
  });

  it('says of usage and of lines of the ledger that their host is simulated', async () => {
    const tenant = await world.found('pretender');
    const lease = await use(tenant);
    const simulated = async () => {
      const { rows } = await see(tenant, 'usage?group_by=allocation&from=2026-04-10&to=2026-04-11');
      const { data } = await see(tenant, 'ledger');
      const said = (data as { kind: string; simulated: boolean | null }[]).map((line) => [line.kind, line.simulated]);
      return {
        rows: rows.map((row: { simulated: boolean | null }) => row.simulated),
        usage: new Set(said.map(String)),
      };
    };
    const say = (simulated: boolean) =>
      asSystem(
        world.root,
        `update nodes set topology = coalesce(topology, '{}') || jsonb_build_object('simulated', $2::boolean),
           version = version + 1 where id = $1`,
        [lease.nodeId, simulated],
      );
    await say(true);
    expect(await simulated()).toEqual({ rows: [true], usage: new Set(['usage,true']) });
    await say(false);
    expect(await simulated()).toEqual({ rows: [false], usage: new Set(['usage,false']) });
  });

  it('adds usage up by day, project, SKU and allocation, for the days that are asked for', async () => {
    const tenant = await world.found('analyst');
    const lease = await use(tenant);
    const asked = (by: string, days = 'from=2026-04-10&to=2026-04-11') => see(tenant, `usage?group_by=${by}&${days}`);
    expect(await asked('day')).toMatchObject({
      total: { amount_minor: '1800' },
      rows: [
        { key: '2026-04-10', amount: { amount_minor: '900' } },
        { key: '2026-04-11', amount: { amount_minor: '900' } },
      ],
    });
    expect((await asked('project')).rows).toMatchObject([{ key: tenant.projectId, name: 'First' }]);
    expect((await asked('sku')).rows).toMatchObject([{ key: sliceSku }]);
    expect((await asked('allocation')).rows).toMatchObject([
      { key: lease.allocationId, amount: { amount_minor: '1800' }, simulated: false },
    ]);
    for (const by of ['day', 'project', 'sku', 'user', 'none']) {
      for (const row of (await asked(by)).rows)
        expect({ by, simulated: row.simulated }).toEqual({ by, simulated: null });
    }
    expect(await asked('day', 'from=2026-04-11&to=2026-04-11')).toMatchObject({ total: { amount_minor: '900' } });
    for (const days of ['from=2026-02-30', 'from=2026-04-12&to=2026-04-11', 'from=2020-01-01&to=2026-01-01']) {
      const refused = await world.call('GET', path(tenant, `usage?${days}`), { as: tenant.token });
      expect(refused, days).toMatchObject({ status: 422, body: { code: 'period_invalid' } });
    }
  });

  it('shows a member the usage of their project, and neither balance nor ledger', async () => {
    const tenant = await world.found('team');
    await use(tenant);
    const member = await world.join('team-member', tenant, 'member');
    const headers = { 'x-project-id': tenant.projectId };
    const { body } = await world.call('GET', '/api/v1/billing/usage?from=2026-04-01&to=2026-04-30', {
      as: member,
      headers,
    });
    expect(body).toMatchObject({ total: { amount_minor: '1800' } });
    for (const what of ['balance', 'ledger', 'usage', 'ledger/verify']) {
      expect((await world.call('GET', path(tenant, what), { as: member })).status, what).toBe(403);
      expect((await world.call('GET', path(tenant, what), { as: home.token })).status, what).toBe(404);
    }
  });
});

describe('a launch where the balance is enforced', () => {
  it('is refused with a reason until the balance lasts for the least runway, counting what was ordered already', async () => {
    const strict = await openWorld({
      beside: world,
      policies: { 'billing.enforce_balance': true, 'billing.minimum_runway_minutes': 120 },
    });
    try {
      const tenant = await world.found('prepaid');
      const launch = () =>
        strict.call('POST', '/api/v1/allocations', {
          ...{ as: tenant.token, key: systemIds.next(), headers: { 'x-project-id': tenant.projectId } },
          body: { sku: sliceSku, gpus: 1, region: testRegion },
        });
      const poor = await launch();
      expect(poor, poor.text).toMatchObject({
        status: 402,
        body: {
          code: 'insufficient_balance',
          message: expect.stringContaining('gpuaas billing top-up'),
          details: {
            ...{ needed: { amount_minor: '900' }, missing: { amount_minor: '900' }, minimum_runway_minutes: 120 },
          },
        },
      });
      await grant(tenant, credit('899'));
      expect((await launch()).status).toBe(402);
      await grant(tenant, credit('1'));
      const made = await launch();
      expect(made.status, made.text).toBe(201);
      const second = await launch();
      expect(second.body.details).toMatchObject({
        ...{ needed: { amount_minor: '1800' }, missing: { amount_minor: '900' }, balance: { amount_minor: '900' } },
      });
      expect(await strict.call('GET', path(tenant, 'balance'), { as: tenant.token })).toMatchObject({
        body: { enforced: true, minimum_runway_minutes: 120 },
      });
    } finally {
      await strict.close();
    }
  });

  it('is not refused where it is not', async () => {
    const tenant = await world.found('trusted');
    const made = await world.call('POST', '/api/v1/allocations', {
      ...{ as: tenant.token, key: systemIds.next(), headers: { 'x-project-id': tenant.projectId } },
      body: { sku: sliceSku, gpus: 1, region: testRegion },
    });
    expect(made.status, made.text).toBe(201);
  });
});

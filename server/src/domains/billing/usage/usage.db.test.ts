import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { verifyLedger } from '../../../../../cli/src/proof/verify-ledger.ts';
import { actsOf } from '../../../kernel/act.ts';
import { systemClock } from '../../../kernel/clock.ts';
import { systemIds } from '../../../kernel/id.ts';
import { dayMs, hourMs, minuteMs } from '../../../kernel/units.ts';
import type { DatabasePort } from '../../../ports/database/port.ts';
import { asSystem, openWorld, type Tenant, type World } from '../../../testing/world.ts';
import { sliceSku } from '../../allocations/testing.ts';
import { putInstance } from '../../app-instances/testing.ts';
import { makeAccrue } from '../accrual.ts';
import { storeEvidence } from '../evidence-store.ts';
import { focusColumns } from '../export/focus-columns.ts';
import { microPerMinor } from '../facts.ts';
import { actOf, type Lease, makeLeases, openAs } from '../testing.ts';
import { makeIdleSampling } from './sampling.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
let world: World;
let billing: DatabasePort;
let home: Tenant;
let leases: Awaited<ReturnType<typeof makeLeases>>;
let runs: { readonly lease: Lease; readonly days: number }[];
/** Days are counted back from the day of the test, because usage of the future is refused. */
const today = () => Math.floor(world.now().getTime() / dayMs) * dayMs;
const dayBack = (days: number) => new Date(today() - days * dayMs).toISOString().slice(0, 10);

/** Two hours on each of these days, charged in windows of an hour. */
async function use(tenant: Tenant, days: readonly number[], unitPriceMinor = 450n): Promise<Lease> {
  const first = today() - Math.max(...days) * dayMs;
  const lease = await leases.lease(tenant, { takenAt: new Date(first), unitPriceMinor });
  const rows = days
    .toSorted((a, b) => b - a)
    .map((back, n) => {
      const from = today() - back * dayMs + hourMs;
      return {
        ...{ n, sequence: n + 1, node_id: lease.nodeId, allocation_id: lease.allocationId, generation: 1 },
        ...{
          gpus: lease.gpus,
          result_key: 'k',
          speed: 1,
          record: `${lease.allocationId} ${n}`,
          final: n === days.length - 1,
        },
        ...{ from_at: new Date(from).toISOString(), to_at: new Date(from + 2 * hourMs).toISOString() },
      };
    });
  await world.database.database.write(actOf('test.use'), async (tx) =>
    tx.commit(await storeEvidence(tx, rows, { microPerMinor, aheadMs: 0, now: new Date(), speed: 1 }), {
      target: { type: 'usage_evidence', id: 'test' },
      events: 'none',
    }),
  );
  const accrue = makeAccrue({ db: billing.database, begin: actsOf('billing-worker', systemIds), ids: systemIds });
  while (await accrue(3_600));
  return lease;
}

beforeAll(async () => {
  world = await openWorld();
  billing = await openAs(world.schema, 'gpuaas_billing');
  home = await world.found('home');
  leases = await makeLeases(world.root);
  const month = Array.from({ length: 28 }, (_, at) => at + 1);
  runs = [
    { lease: await use(home, month), days: 28 },
    { lease: await use(home, [1, 2, 3], 451n), days: 3 },
  ];
});
afterAll(async () => {
  await billing.close();
  await world.close();
});

const at = (tenant: Tenant, rest: string) => `/api/v1/organizations/${tenant.organizationId}/billing/${rest}`;
const see = async (rest: string, as = home.token) => (await world.call('GET', at(home, rest), { as })).body;
interface Point {
  readonly at: string;
  readonly key: string;
  readonly name: string | null;
  readonly amount: { readonly amount_minor: string };
  readonly quantity_ms: string;
}
const sum = (points: readonly Point[]) => points.reduce((all, { amount }) => all + Number(amount.amount_minor), 0);
const whole = 28 * 900 + 3 * 902;

describe('usage over time', () => {
  it('adds up to the ledger by hour, day and month, whatever it is grouped by', async () => {
    const total = Number((await see(`usage?from=${dayBack(28)}`)).total.amount_minor);
    expect(total).toBe(whole);
    for (const interval of ['day', 'month']) {
      for (const group of ['none', 'project', 'user', 'sku', 'allocation', 'app']) {
        const { data } = await see(
          `usage/series?interval=${interval}&group_by=${group}&from=${dayBack(28)}&limit=1000`,
        );
        expect([interval, group, sum(data)]).toEqual([interval, group, whole]);
      }
    }
    const hours: Point[] = (await see(`usage/series?interval=hour&from=${dayBack(3)}&to=${dayBack(1)}`)).data;
    expect(hours).toHaveLength(6);
    expect(sum(hours)).toBe(3 * (900 + 902));
    const verified = await see('ledger/verify');
    expect(verified).toMatchObject({ ok: true, balance: { amount_minor: String(-whole) } });
  });

  it('names the app that an allocation was launched with, and leaves out what only ran on it', async () => {
    const [own, lent] = runs.map(({ lease }) => lease.allocationId);
    const place = async (allocationId: string | undefined, owns: boolean) => {
      const made = await putInstance(world, home, { state: 'requested', allocationId: allocationId ?? '' });
      await asSystem(world.root, 'update app_instances set owns_allocation = $2, version = version + 1 where id = $1', [
        made.id,
        owns,
      ]);
      return made.reference;
    };
    const reference = await place(own, true);
    await place(lent, false);
    const { data } = await see(`usage/series?interval=month&group_by=app&from=${dayBack(28)}&limit=1000`);
    const byApp = Map.groupBy(data as Point[], ({ key }) => key);
    expect(Object.fromEntries([...byApp].map(([key, points]) => [key, sum(points)]))).toEqual({
      '': 3 * 902,
      [reference]: 28 * 900,
    });
    const first = await see(`usage/series?interval=month&group_by=app&from=${dayBack(28)}&limit=1`);
    const next = await see(
      `usage/series?interval=month&group_by=app&from=${dayBack(28)}&limit=1&cursor=${first.next_cursor}`,
    );
    expect(next.data).toHaveLength(1);
  });

  it('has sums by group and in all that are those of the ledger, under the filters of the series', async () => {
    const { lease } = runs[0] as { lease: Lease };
    const { body: booked } = await world.call('GET', at(home, 'balance'), { as: home.token });
    for (const group of ['none', 'project', 'user', 'sku', 'allocation', 'day']) {
      const { total, rows } = await see(`usage?group_by=${group}&from=${dayBack(28)}`);
      expect([group, sum(rows), Number(total.amount_minor)]).toEqual([group, whole, whole]);
      expect(total.amount_minor).toBe(String(-Number(booked.balance.amount_minor)));
      if (group === 'day') continue;
      const { data } = await see(`usage/series?interval=month&group_by=${group}&from=${dayBack(28)}&limit=1000`);
      const months = Map.groupBy(data as Point[], ({ key }) => key);
      for (const { key, amount } of rows) expect(Number(amount.amount_minor)).toBe(sum(months.get(key) ?? []));
    }
    const one = `allocation_id=${lease.allocationId}&from=${dayBack(28)}`;
    for (const [filter, expected] of [
      [one, 28 * 900],
      [`${one}&sku=${sliceSku}&project_id=${home.projectId}&requested_by=somebody`, 28 * 900],
      [`from=${dayBack(2)}&to=${dayBack(2)}`, 900 + 902],
      ['sku=another', 0],
      ['requested_by=another', 0],
      [`project_id=${systemIds.next()}`, 0],
    ] as const) {
      const { total, rows } = await see(`usage?group_by=allocation&${filter}`);
      expect([filter, Number(total.amount_minor), sum(rows)]).toEqual([filter, expected, expected]);
    }
  });

  it('names its groups, and keeps to its filters', async () => {
    const { lease } = runs[0] as { lease: Lease };
    const { data } = await see(`usage/series?group_by=project&interval=month&from=${dayBack(28)}`);
    expect(data[0]).toMatchObject({ key: home.projectId, name: expect.any(String) });
    const one = await see(`usage/series?allocation_id=${lease.allocationId}&from=${dayBack(28)}`);
    expect(sum(one.data)).toBe(28 * 900);
    expect(sum((await see(`usage/series?sku=${sliceSku}&from=${dayBack(28)}`)).data)).toBe(whole);
    expect((await see('usage/series?sku=another')).data).toEqual([]);
    expect((await see('usage/series?requested_by=another')).data).toEqual([]);
    expect((await see(`usage/series?project_id=${systemIds.next()}`)).data).toEqual([]);
  });

  it('comes in pages that miss nothing and repeat nothing', async () => {
    const seen: Point[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const more = cursor === '' ? '' : `&cursor=${cursor}`;
      const page = await see(`usage/series?group_by=allocation&from=${dayBack(28)}&limit=4${more}`);
      seen.push(...page.data);
      cursor = page.next_cursor;
    }
    expect(seen).toHaveLength(31);
    expect(new Set(seen.map((each) => `${each.at} ${each.key}`)).size).toBe(31);
    expect(sum(seen)).toBe(whole);
    expect((await see('usage/series?cursor=bm90aGluZw')).code).toBe('cursor_invalid');
  });

  it('refuses hours of more than a week', async () => {
    expect((await see(`usage/series?interval=hour&from=${dayBack(8)}`)).code).toBe('period_invalid');
  });

  it('is for owners, administrators and finance; a member sees the lines of the project', async () => {
    const finance = await world.join('counts', home, 'finance');
    const member = await world.join('works', home, 'member');
    for (const path of ['usage/series', 'forecast', 'idle', 'usage/export?format=csv', 'ledger/export', 'balance']) {
      const [one, other] = await Promise.all([
        world.call('GET', at(home, path), { as: finance }),
        world.call('GET', at(home, path), { as: member }),
      ]);
      expect([path, one.status, other.status]).toEqual([path, 200, 403]);
    }
    const seen = await world.call('GET', `/api/v1/billing/usage/series?from=${dayBack(28)}`, {
      as: member,
      headers: { 'x-project-id': home.projectId },
    });
    expect(sum(seen.body.data)).toBe(whole);
    const machines = await world.call('GET', '/api/v1/allocations', {
      as: finance,
      headers: { 'x-project-id': home.projectId },
    });
    expect(machines.status).toBe(403);
  });

  it('is seen by finance of the platform as revenue by day and SKU', async () => {
    const finance = await world.operator('finance');
    const { body } = await world.call('GET', `/api/v1/admin/billing/revenue?from=${dayBack(28)}`, { as: finance });
    expect(body.rows).toHaveLength(28);
    expect(body.rows.at(-1)).toMatchObject({ sku: sliceSku, amount: { amount_minor: '1802' }, organizations: 1 });
    const amount = { amount_minor: String(whole), currency: 'USD' };
    expect(body.totals).toMatchObject([{ total: amount, skus: [{ sku: sliceSku, amount }] }]);
  });
});

describe('the forecast', () => {
  it('rests on 28 days, has a band around what is expected, and never falls below what was charged', async () => {
    const found = await see('forecast');
    expect(found).toMatchObject({ state: 'available', days_used: 28 });
    const [low, expected, high] = [found.low, found.expected, found.high].map((each) => Number(each.amount_minor));
    expect(low).toBeLessThanOrEqual(expected as number);
    expect(high).toBeGreaterThanOrEqual(expected as number);
    expect(low).toBeGreaterThanOrEqual(Number(found.month_to_date.amount_minor));
    expect(found.days.length).toBeGreaterThanOrEqual(14);
  });

  it('is unavailable without usage', async () => {
    const empty = await world.found('empty');
    const { body } = await world.call('GET', at(empty, 'forecast'), { as: empty.token });
    expect(body).toMatchObject({ state: 'unavailable', days_used: 0, expected: null, days: [] });
  });
});

/** The allocation runs on these GPUs of its host. */
async function reserveForNewAllocations(lease: Lease, slots: readonly number[]): Promise<void> {
  await asSystem(
    world.root,
    `update slots set state = 'reserved', version = version + 1, allocation_id = $2, generation = 1
     where node_id = $1 and slot_index = any ($3)`,
    [lease.nodeId, lease.allocationId, slots],
  );
  for (const state of ['provisioning', 'active']) {
    await asSystem(world.root, 'update allocations set state = $2, version = version + 1 where id = $1', [
      ...[lease.allocationId, state],
    ]);
  }
}

describe('idle cost', () => {
  it('is unavailable where no host reported, and counts only what was observed', async () => {
    expect(await see('idle')).toMatchObject({ state: 'unavailable', amount: null, rows: [] });
    const { lease } = runs[0] as { lease: Lease };
    await asSystem(
      world.root,
      `insert into usage_idle_days (resource_id, day, organization_id, observed_ms, idle_ms, sampled_at)
       values ($1, $2, $3, $4, $5, act_time())`,
      [lease.allocationId, dayBack(2), home.organizationId, 2 * hourMs, hourMs],
    );
    const found = await see(`idle?from=${dayBack(28)}`);
    expect(found).toMatchObject({ state: 'available', amount: { amount_minor: '450' } });
    expect(found.rows).toMatchObject([{ allocation_id: lease.allocationId, idle_ms: String(hourMs) }]);
    expect(found.observed_percent).toBe(Math.floor(100 / 31));
  });

  it('is sampled from what hosts report, without guessing the time between', async () => {
    const tenant = await world.found('sampled');
    const [idle, busy] = [await use(tenant, [40]), await use(tenant, [40])];
    await reserveForNewAllocations(idle, [0]);
    await reserveForNewAllocations(busy, [1, 2]);
    const start = today() - 40 * dayMs + hourMs;
    let time = start;
    const clock = { ...systemClock, now: () => new Date(time) };
    const port = await openAs(world.schema, 'gpuaas_billing', clock);
    onTestFinished(() => port.close());
    const parts = { db: port.database, begin: actsOf('billing-worker', systemIds), ids: systemIds };
    const sampling = makeIdleSampling({ ...parts, idlePercent: () => 5 });
    const look = async (minute: number, reportedAt = minute) => {
      time = start + minute * minuteMs;
      await world.root.query('update node_reports set reported_at = $2, gpu_utilization = $3 where node_id = $1', [
        ...[idle.nodeId, new Date(start + reportedAt * minuteMs), [5, 0, 6]],
      ]);
      expect(await sampling.round(new AbortController().signal)).toBe('idle');
    };
    const days = async () =>
      (
        await world.root.query(
          `select resource_id, day::text as day, observed_ms::int as observed, idle_ms::int as idle from usage_idle_days
           where organization_id = $1`,
          [tenant.organizationId],
        )
      ).rows.toSorted((one, other) => other.idle - one.idle);
    const seen = (minutes: number) => [
      { resource_id: idle.allocationId, day: dayBack(40), observed: minutes * minuteMs, idle: minutes * minuteMs },
      { resource_id: busy.allocationId, day: dayBack(40), observed: minutes * minuteMs, idle: 0 },
    ];
    await look(0);
    await look(5);
    await look(10);
    expect(await days()).toEqual(seen(10));
    // One look stands for at most ten minutes, and none is taken of a host that has not reported lately.
    await look(60);
    expect(await days()).toEqual(seen(20));
    await look(65, 60);
    expect(await days()).toEqual(seen(20));
    const { body } = await world.call('GET', at(tenant, `idle?from=${dayBack(40)}&to=${dayBack(39)}`), {
      as: tenant.token,
    });
    expect(body).toMatchObject({ state: 'available', amount: { amount_minor: '150' }, observed_percent: 16 });
    expect(body.rows).toMatchObject([{ allocation_id: idle.allocationId, idle_ms: String(20 * minuteMs) }]);
  });
});

describe('an export', () => {
  const lines = (text: string) => text.trimEnd().split('\r\n');

  it('has a row for each line as CSV, and adds up', async () => {
    const { text, headers } = await world.call('GET', at(home, `usage/export?format=csv&from=${dayBack(28)}`), {
      as: home.token,
    });
    expect(headers['content-type']).toBe('text/csv; charset=utf-8');
    const [head, ...rows] = lines(text);
    expect(rows).toHaveLength(31);
    const amount = (head ?? '').split(',').indexOf('amount_minor');
    expect(rows.reduce((all, row) => all + Number(row.split(',')[amount]), 0)).toBe(whole);
  });

  it('has every column of FOCUS 1.3, with amounts in major units', async () => {
    const { text } = await world.call('GET', at(home, `usage/export?format=focus&from=${dayBack(28)}`), {
      as: home.token,
    });
    const [head = '', ...rows] = lines(text);
    const names = head.split(',');
    expect(names.slice(0, focusColumns.length)).toEqual(focusColumns.map(({ name }) => name));
    const cost = names.indexOf('BilledCost');
    expect(rows.reduce((all, row) => all + Math.round(Number(row.split(',')[cost]) * 100), 0)).toBe(whole);
  });

  it('is a Parquet file', async () => {
    const { status, headers, text } = await world.call('GET', at(home, 'usage/export?format=parquet'), {
      as: home.token,
    });
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/vnd.apache.parquet');
    expect([text.slice(0, 4), text.slice(-4)]).toEqual(['PAR1', 'PAR1']);
  });

  it('of the ledger is verified without the server, and its first wrong row is named', async () => {
    const { text } = await world.call('GET', at(home, 'ledger/export'), { as: home.token });
    const rows = text.trimEnd().split('\n');
    const verify = (given: readonly string[]) =>
      verifyLedger(
        (async function* () {
          yield* given;
        })(),
      );
    expect(await verify(rows)).toMatchObject({ problem: undefined, entries: rows.length - 1, sum: BigInt(-whole) });
    const changed = rows.map((row, index) => (index === 7 ? row.replace('-450,450', '-449,449') : row));
    expect(changed).not.toEqual(rows);
    expect((await verify(changed)).problem).toMatchObject({ row: 8 });
    expect((await verify(rows.toSpliced(5, 1))).problem).toBeDefined();
    expect((await verify(rows.slice(0, -1))).problem).toBeDefined();
  });
});

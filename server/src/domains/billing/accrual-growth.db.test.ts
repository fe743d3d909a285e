import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { addMeters } from '../../../../tools/bench/billing/load.ts';
import { actsOf, sql } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import { systemIds } from '../../kernel/id.ts';
import type { DatabasePort } from '../../ports/database/port.ts';
import { openTestSchema, type TestSchema } from '../../testing/schema.ts';
import { makeAccrue } from './accrual.ts';
import { accrue } from './accrual-store.ts';
import { metersAtOnce, settleAfterMs, tailAfterMs, windowsAtOnce } from './facts.ts';
import { actOf, openAs } from './testing.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });
let schema: TestSchema;
let root: pg.Client;
let billing: DatabasePort;
beforeAll(async () => {
  schema = await openTestSchema();
  root = new pg.Client({ connectionString: schema.url });
  await root.connect();
  billing = await openAs(schema, 'gpuaas_billing');
});
afterAll(async () => {
  await billing.close();
  await root.end();
  await schema.close();
});

const from = new Date('2026-04-01T00:00:00Z');
const organizations = 7;
interface Plan {
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Join Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly Plan[];
}
/** Rows that pass through all parts of a plan, also those that a filter or a join threw away. */
const visited = (plan: Plan): number =>
  (plan['Actual Rows'] +
    (plan['Rows Removed by Filter'] ?? 0) +
    (plan['Rows Removed by Join Filter'] ?? 0) +
    (plan['Rows Removed by Index Recheck'] ?? 0)) *
    plan['Actual Loops'] +
  (plan.Plans ?? []).reduce((sum, each) => sum + visited(each), 0);

/** How many rows one round of accrual goes through. What it charged is undone. */
async function rowsOfRound(): Promise<number> {
  let rows = 0;
  const bounds = { meters: metersAtOnce, windows: windowsAtOnce, tailMs: tailAfterMs, settleMs: settleAfterMs };
  await billing.database.write(actOf('test.explain'), async (tx) => {
    const ask = tx.rows.bind(tx);
    const spy = vi.spyOn(tx, 'rows').mockImplementation(async (statement, values = []) => {
      const explain = sql(
        `explain-${systemIds.next()}`,
        `explain (analyze, timing off, format json) ${statement.text}`,
      );
      const [found] = await ask<{ 'QUERY PLAN': readonly { Plan: Plan }[] }>(explain, values);
      rows = visited(found?.['QUERY PLAN'][0]?.Plan as Plan);
      return [];
    });
    const by = { actorId: 'billing-worker', correlationId: 'c' };
    await accrue(tx, { windowSeconds: 60, ...bounds }, by, new Date(), undefined);
    spy.mockRestore();
    return tx.abandon(new Fault('resource_not_found', 'It was only looked at.'));
  });
  return rows;
}
const clear = () =>
  root.query(
    `begin; set local session_replication_role = replica; delete from usage_meters; delete from usage_evidence; commit`,
  );

describe('what a round of accrual reads', () => {
  it('grows as the number of allocations does, and not with its square', async () => {
    await addMeters(root, { allocations: 250, organizations, from, minutes: 1 });
    const few = await rowsOfRound();
    expect(few).toBeGreaterThan(250);
    await clear();
    await addMeters(root, { allocations: 1_000, organizations, from, minutes: 1 });
    expect(await rowsOfRound()).toBeLessThan(few * 5);
    await clear();
  });

  it('does not grow with the time that allocations have been running', async () => {
    await addMeters(root, { allocations: 20, organizations, from, minutes: 3, charged: 2 });
    const young = await rowsOfRound();
    await clear();
    await addMeters(root, { allocations: 20, organizations, from, minutes: 300, charged: 299 });
    expect(await rowsOfRound()).toBeLessThan(young * 1.5);
    await clear();
  });
});

describe('pages of meters', () => {
  it('reach what is due behind pages of meters that wait for the end of their window', async () => {
    await addMeters(root, { allocations: 20, organizations, from, minutes: 1 });
    await root.query(`begin; set local session_replication_role = replica`);
    // All but the last of them have evidence of half a window.
    await root.query(
      `update usage_meters set accrued_to = $1::timestamptz + interval '1 minute', evidence_to = $1::timestamptz + interval '90 seconds'
      where resource_id <> (select resource_id from usage_meters order by resource_id desc limit 1)`,
      [from],
    );
    await root.query('commit');
    const at = async () => new Date(from.getTime() + 100_000);
    const charge = makeAccrue({
      db: billing.database,
      begin: actsOf('billing-worker', systemIds),
      ids: systemIds,
      time: at,
    });
    expect(await charge(60, { meters: 3 })).toEqual({ meters: 1, windows: 1, organizations: 1 });
    expect(await charge(60, { meters: 3 })).toBeUndefined();
    await clear();
  });

  it('charge each meter once, however many pages it takes', async () => {
    await addMeters(root, { allocations: 25, organizations, from, minutes: 2 });
    const charge = makeAccrue({ db: billing.database, begin: actsOf('billing-worker', systemIds), ids: systemIds });
    const rounds = [];
    for (let done = await charge(60, { meters: 10 }); done; done = await charge(60, { meters: 10 })) rounds.push(done);
    expect(rounds.map(({ meters, windows }) => [meters, windows])).toEqual([
      [10, 20],
      [10, 20],
      [5, 10],
    ]);
  });
});

import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { actsOf } from '../../kernel/act.ts';
import { systemIds } from '../../kernel/id.ts';
import { minuteMs, secondMs } from '../../kernel/units.ts';
import type { DatabasePort } from '../../ports/database/port.ts';
import { openTestSchema, type TestSchema } from '../../testing/schema.ts';
import { asSystem } from '../../testing/world.ts';
import { makeAccrue, makeMonthsAhead } from './accrual.ts';
import { type EvidenceRow, storeEvidence } from './evidence-store.ts';
import { microPerMinor } from './facts.ts';
import { findWrongUsage, verifyChain } from './ledger-store.ts';
import { actOf, foundOrganization, type Lease, makeLeases, openAs } from './testing.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });
let schema: TestSchema;
let root: pg.Client;
let api: DatabasePort;
let billing: DatabasePort;
let leases: Awaited<ReturnType<typeof makeLeases>>;
let accrue: ReturnType<typeof makeAccrue>;
beforeAll(async () => {
  schema = await openTestSchema();
  root = new pg.Client({ connectionString: schema.url });
  await root.connect();
  [api, billing] = [await openAs(schema, 'gpuaas_api'), await openAs(schema, 'gpuaas_billing')];
  leases = await makeLeases(root);
  accrue = makeAccrue(worker());
});
const worker = () => ({ db: billing.database, begin: actsOf('billing-worker', systemIds), ids: systemIds });
afterAll(async () => {
  await Promise.all([api.close(), billing.close()]);
  await root.end();
  await schema.close();
});

/** A moment on no grid, long enough ago that everything in these tests is over. */
const base = Date.parse('2026-03-31T23:41:17.123Z');
interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
  readonly gpus: number;
  readonly final?: boolean;
}
const rowsOf = (lease: Lease, stretches: readonly Stretch[], firstSequence = 1): EvidenceRow[] =>
  stretches.map(({ fromMs, toMs, gpus, final = false }, at) => ({
    n: at,
    node_id: lease.nodeId,
    allocation_id: lease.allocationId,
    generation: 1,
    sequence: firstSequence + at,
    from_at: new Date(base + fromMs).toISOString(),
    to_at: new Date(base + toMs).toISOString(),
    gpus: lease.gpus.slice(0, gpus),
    final,
    record: JSON.stringify({ lease: lease.allocationId, fromMs, toMs, gpus }),
    result_key: 'k',
    speed: 1,
  }));
const deliver = async (rows: readonly EvidenceRow[]) => {
  const written = await api.database.write(actOf('test.deliver'), async (tx) =>
    tx.commit(await storeEvidence(tx, rows, { microPerMinor, aheadMs: 0, now: new Date(), speed: 1 }), {
      target: { type: 'usage_evidence', id: 'test' },
      events: 'none',
    }),
  );
  return (written as { value: { outcome: string }[] }).value.map(({ outcome }) => outcome);
};
const accrueAll = async (windowSeconds: number) => {
  while (await accrue(windowSeconds));
};
/** What a stretch of time costs, by whole numbers alone: rate × units × time, rounded half up once. */
const priceOf = (unitPriceMinor: bigint, stretches: readonly Stretch[]): bigint => {
  const hours = 3_600_000n;
  const exact = stretches.reduce(
    (sum, { fromMs, toMs, gpus }) => sum + unitPriceMinor * BigInt(gpus) * BigInt(toMs - fromMs),
    0n,
  );
  return (exact * 2n + hours) / (hours * 2n);
};
const charged = async (allocationId: string) => {
  const { rows } = await root.query(
    `select coalesce(sum(amount_minor), 0)::text as windows, count(*)::int as n,
       (select coalesce(sum(amount_minor), 0)::text from usage_days where resource_id = $1) as days,
       (select coalesce(sum(l.amounts[2]), 0)::text from ledger_entries l join usage_windows u on u.id = l.id
        where u.resource_id = $1) as ledger,
       (select charged_minor::text from usage_meters where resource_id = $1) as meter,
       exists (select from usage_windows a join usage_windows b on a.resource_id = b.resource_id and a.id <> b.id
         and a.from_at < b.to_at and a.to_at > b.from_at where a.resource_id = $1) as overlaps
     from usage_windows where resource_id = $1`,
    [allocationId],
  );
  return rows[0] as { windows: string; n: number; days: string; ledger: string; meter: string; overlaps: boolean };
};
const proven = async (organizationId: string) => ({
  chain: await api.database.read(actOf('test.look'), (tx) => verifyChain(tx, organizationId)),
  usage: await api.database.read(actOf('test.look'), (tx) => findWrongUsage(tx, organizationId)),
});

/** Stretches with gaps between them, in order. */
const anyLife = fc
  .array(
    fc.record({
      gapMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 5 * minuteMs })),
      lengthMs: fc.oneof(fc.integer({ min: 1, max: 999 }), fc.integer({ min: 1, max: 20 * minuteMs })),
      gpus: fc.integer({ min: 0, max: 4 }),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((pieces) => {
    let atMs = 0;
    return pieces.map(({ gapMs, lengthMs, gpus }): Stretch => {
      const fromMs = atMs + gapMs;
      atMs = fromMs + lengthMs;
      return { fromMs, toMs: atMs, gpus };
    });
  });

describe('accrual', () => {
  it('charges exactly what the evidence proves, however it arrives and in however many windows', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(anyLife, fc.bigInt({ min: 0n, max: 100_000n })), { minLength: 1, maxLength: 4 }),
        fc.array(fc.constantFrom(10, 17, 60, 600, 3_600), { minLength: 1, maxLength: 4 }),
        fc.infiniteStream(fc.integer({ min: 0, max: 2 })),
        async (lives, windowSizes, chances) => {
          const home = await foundOrganization(root);
          const made = [];
          for (const [stretches, unitPriceMinor] of lives) {
            const lease = await leases.lease(home, { gpus: 4, unitPriceMinor, takenAt: new Date(base) });
            made.push({ stretches, unitPriceMinor, lease });
          }
          // Records are delivered one by one, in the order of each lease, with rounds of accrual anywhere in between.
          let round = 0;
          for (let at = 0; at < 8; at += 1) {
            for (const { lease, stretches } of made) {
              const one = stretches[at];
              if (!one) continue;
              expect(await deliver(rowsOf(lease, [one], at + 1))).toEqual(['stored']);
              if (chances.next().value === 0) await accrue(windowSizes[round++ % windowSizes.length] as number);
            }
          }
          await accrueAll(windowSizes[0] as number);
          let sum = 0n;
          for (const { lease, stretches, unitPriceMinor } of made) {
            const price = priceOf(unitPriceMinor, stretches).toString();
            sum += BigInt(price);
            expect(await charged(lease.allocationId)).toMatchObject({
              ...{ windows: price, days: price, ledger: price, meter: price, overlaps: false },
            });
          }
          const { chain, usage } = await proven(home.organizationId);
          expect(chain).toMatchObject({ wrong_link: null, ends_here: true, sum: -sum, balance_minor: -sum });
          expect(usage).toBeUndefined();
        },
      ),
      { numRuns: 12 },
    );
  });

  it('adds up three days of windows of a minute to the price of the three days', async () => {
    const home = await foundOrganization(root);
    const lease = await leases.lease(home, { gpus: 1, unitPriceMinor: 449n, takenAt: new Date(base) });
    const days = Array.from({ length: 3 }, (_, day) => ({
      fromMs: day * 24 * 60 * minuteMs,
      toMs: (day + 1) * 24 * 60 * minuteMs,
      gpus: 1,
    }));
    await deliver(rowsOf(lease, days));
    await accrueAll(60);
    const found = await charged(lease.allocationId);
    expect(found).toMatchObject({ windows: String(449 * 72), overlaps: false });
    expect(found.n).toBe(3 * 24 * 60 + 1);
  });

  it('charges each window once when several workers are at it at the same time', async () => {
    const home = await foundOrganization(root);
    const life = [{ fromMs: 0, toMs: 50 * minuteMs, gpus: 2 }];
    const made: Lease[] = [];
    while (made.length < 12) {
      made.push(await leases.lease(home, { gpus: 2, unitPriceMinor: 451n, takenAt: new Date(base) }));
    }
    for (const lease of made) await deliver(rowsOf(lease, life));
    const work = async () => {
      while (await accrue(60, { meters: 3, windows: 7 }));
    };
    await Promise.all([work(), work(), work(), work()]);
    await accrueAll(60);
    const price = priceOf(451n, life).toString();
    for (const { allocationId } of made)
      expect(await charged(allocationId)).toMatchObject({ windows: price, meter: price });
    expect((await proven(home.organizationId)).chain).toMatchObject({ wrong_link: null, sum: -12n * BigInt(price) });
  });

  it('waits with a window that evidence does not cover yet, and charges it whole', async () => {
    const home = await foundOrganization(root);
    const lease = await leases.lease(home, { takenAt: new Date(base) });
    const { rows } = await root.query('select floor(extract(epoch from now()) / 60)::bigint * 60000 as ms');
    const startMs = Number(rows[0].ms) - 2 * minuteMs - base;
    await deliver(rowsOf(lease, [{ fromMs: startMs, toMs: startMs + minuteMs + 20 * secondMs, gpus: 1 }]));
    await accrueAll(60);
    expect(await charged(lease.allocationId)).toMatchObject({ n: 1, windows: '8' });
    await deliver(rowsOf(lease, [{ fromMs: startMs + 80 * secondMs, toMs: startMs + 2 * minuteMs, gpus: 1 }], 2));
    await accrueAll(60);
    expect(await charged(lease.allocationId)).toMatchObject({ n: 2, windows: '15' });
  });

  it('charges the last window when the lease has ended, without waiting for its end', async () => {
    const home = await foundOrganization(root);
    const lease = await leases.lease(home, { takenAt: new Date(base), unitPriceMinor: 3_600_000n });
    const { rows } = await root.query('select floor(extract(epoch from now()) * 1000)::bigint as ms');
    const fromMs = Number(rows[0].ms) - 5 * secondMs - base;
    await deliver(rowsOf(lease, [{ fromMs, toMs: fromMs + 400, gpus: 1, final: true }]));
    await accrueAll(60);
    expect(await charged(lease.allocationId)).toMatchObject({ windows: '400' });
  });

  it('charges nothing behind a release that was being accepted while evidence came', async () => {
    const home = await foundOrganization(root);
    const lease = await leases.lease(home, { takenAt: new Date(base), unitPriceMinor: 3_600_000n });
    await deliver(rowsOf(lease, [{ fromMs: 0, toMs: 10_700, gpus: 1 }]));
    await asSystem(root, 'update allocations set releasing_at = $2, version = version + 1 where id = $1', [
      ...[lease.allocationId, new Date(base + 10_250)],
    ]);
    await accrueAll(60);
    expect(await charged(lease.allocationId)).toMatchObject({ windows: '10250', meter: '10250' });
    const { rows } = await root.query(
      'select accrued_to = evidence_to as settled from usage_meters where resource_id = $1',
      [lease.allocationId],
    );
    expect(rows).toEqual([{ settled: true }]);
  });

  it('charges a window only when a release in it would be known', async () => {
    const home = await foundOrganization(root);
    const lease = await leases.lease(home, { takenAt: new Date(base), unitPriceMinor: 3_600_000n });
    const minute = Date.parse('2026-04-01T00:00:00Z');
    const at = (ms: number) => makeAccrue({ ...worker(), time: async () => new Date(minute + ms) });
    await deliver(rowsOf(lease, [{ fromMs: minute - base - minuteMs, toMs: minute - base, gpus: 1 }]));
    await at(1_999)(60);
    expect((await charged(lease.allocationId)).n).toBe(0);
    await at(2_000)(60);
    expect(await charged(lease.allocationId)).toMatchObject({ n: 1, windows: '60000' });
  });

  it('charges evidence that comes after an outage, and never the time of which there is none', async () => {
    const home = await foundOrganization(root);
    const lease = await leases.lease(home, { takenAt: new Date(base), unitPriceMinor: 360n });
    await deliver(rowsOf(lease, [{ fromMs: 0, toMs: 10 * minuteMs, gpus: 1 }]));
    await accrueAll(60);
    expect(await charged(lease.allocationId)).toMatchObject({ windows: '60' });
    await accrueAll(60);
    expect(await charged(lease.allocationId)).toMatchObject({ windows: '60' });
    await deliver(rowsOf(lease, [{ fromMs: 130 * minuteMs, toMs: 140 * minuteMs, gpus: 1 }], 2));
    await accrueAll(60);
    expect(await charged(lease.allocationId)).toMatchObject({ windows: '120', ledger: '120' });
  });

  it('charges no more GPUs than were ordered and no GPU that the host did not see', async () => {
    const home = await foundOrganization(root);
    const lease = await leases.lease(home, { gpus: 2, takenAt: new Date(base), unitPriceMinor: 100n });
    await deliver(
      rowsOf(lease, [
        { fromMs: 0, toMs: 60 * minuteMs, gpus: 2 },
        { fromMs: 60 * minuteMs, toMs: 120 * minuteMs, gpus: 1 },
        { fromMs: 120 * minuteMs, toMs: 180 * minuteMs, gpus: 0 },
      ]),
    );
    await accrueAll(60);
    expect(await charged(lease.allocationId)).toMatchObject({ windows: '300' });
  });

  it('sees when a usage row or its evidence was changed afterwards', async () => {
    const home = await foundOrganization(root);
    const tamper = async (statement: string, id: string) => {
      await root.query(`begin; set local session_replication_role = 'replica'`);
      await root.query(statement, [id]);
      await root.query('commit');
    };
    for (const statement of [
      `update usage_windows set to_at = to_at + interval '1 second' where resource_id = $1`,
      'update usage_windows set quantity_ms = quantity_ms + 1 where resource_id = $1',
      'update usage_windows set rate_micro = rate_micro + 1 where resource_id = $1',
      `update usage_evidence set record = record || ' ', digest = sha256(convert_to(record || ' ', 'UTF8'))
       where allocation_id = $1`,
    ]) {
      const organization = await foundOrganization(root);
      const lease = await leases.lease(organization, { takenAt: new Date(base) });
      await deliver(rowsOf(lease, [{ fromMs: 0, toMs: 3 * minuteMs, gpus: 1 }]));
      await accrueAll(60);
      expect((await proven(organization.organizationId)).usage).toBeUndefined();
      await tamper(statement, lease.allocationId);
      expect((await proven(organization.organizationId)).usage, statement).toBeDefined();
    }
    expect((await proven(home.organizationId)).usage).toBeUndefined();
  });

  it('puts windows and entries into months that were made before they are needed', async () => {
    const months = makeMonthsAhead({
      db: billing.database,
      begin: actsOf('billing-worker', systemIds),
      ids: systemIds,
    });
    await months.round(new AbortController().signal);
    const count = async () =>
      (
        await root.query(`select count(*)::int as n from pg_class where relnamespace = 'ledger_months'::regnamespace
        and relkind = 'r' and relname not like '%rest'`)
      ).rows[0].n;
    const made = await count();
    // This month already has rows elsewhere; it stays there, and the next ones are made for all three tables.
    expect(made).toBeGreaterThanOrEqual(6);
    await months.round(new AbortController().signal);
    expect(await count()).toBe(made);
  });
});

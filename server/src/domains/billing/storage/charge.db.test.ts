import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { actsOf } from '../../../kernel/act.ts';
import { systemIds } from '../../../kernel/id.ts';
import { hourMs, minuteMs } from '../../../kernel/units.ts';
import type { DatabasePort } from '../../../ports/database/port.ts';
import { openTestSchema, type TestSchema } from '../../../testing/schema.ts';
import { asSystem } from '../../../testing/world.ts';
import { findWrongDay, findWrongUsage, verifyChain } from '../ledger-store.ts';
import { actOf, foundOrganization, openAs } from '../testing.ts';
import { makeChargeStorage } from './charge.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });
let schema: TestSchema;
let root: pg.Client;
let api: DatabasePort;
let billing: DatabasePort;
beforeAll(async () => {
  schema = await openTestSchema();
  root = new pg.Client({ connectionString: schema.url });
  await root.connect();
  [api, billing] = [await openAs(schema, 'gpuaas_api'), await openAs(schema, 'gpuaas_billing')];
});
afterAll(async () => {
  await Promise.all([api.close(), billing.close()]);
  await root.end();
  await schema.close();
});

const base = Date.parse('2026-03-31T22:41:17.123Z');
interface Change {
  readonly atMs: number;
  readonly bytes: bigint;
}
const charging = (nowMs: number) =>
  makeChargeStorage({
    ...{ db: billing.database, begin: actsOf('billing-worker', systemIds), ids: systemIds },
    time: async () => new Date(nowMs),
  });
const price = async (currency: string, rateMicro: bigint, atMs: number) =>
  asSystem(
    root,
    `insert into storage_prices (id, currency, rate_micro, effective_from, created_by) values ($1, $2, $3, $4, 'test')`,
    [systemIds.next(), currency, rateMicro, new Date(atMs)],
  );

/** A project that stored these sizes from these moments on; readings of the past, which the trigger cannot make. */
async function storing(of: { organizationId: string; projectId: string }, changes: readonly Change[]) {
  await root.query('alter table storage_buckets disable trigger user');
  await root.query('insert into storage_buckets (project_id, organization_id, stored_bytes) values ($1, $2, $3)', [
    ...[of.projectId, of.organizationId, changes.at(-1)?.bytes ?? 0n],
  ]);
  await root.query('alter table storage_buckets enable trigger user');
  let sum = 0n;
  for (const [index, { atMs, bytes }] of changes.entries()) {
    const last = changes[index - 1];
    if (last) sum += last.bytes * BigInt(atMs - last.atMs) * 1_000n;
    await asSystem(
      root,
      `insert into storage_readings (project_id, organization_id, at, stored_bytes, byte_us, digest)
       values ($1, $2, $3, $4, $5, sha256(convert_to(storage_reading_text($1, $2, $3, $4, $5), 'UTF8')))`,
      [of.projectId, of.organizationId, new Date(base + atMs), bytes, sum],
    );
  }
}
/** GiB-milliseconds until a moment, in whole ones, by another way than the product: every stretch by itself. */
const storedUntil = (changes: readonly Change[], untilMs: number): bigint =>
  changes.reduce((total, { atMs, bytes }, index) => {
    const endMs = Math.min(changes[index + 1]?.atMs ?? untilMs, untilMs);
    return total + (endMs > atMs ? bytes * BigInt(endMs - atMs) : 0n);
  }, 0n) /
  2n ** 30n;
const rounded = (exact: bigint): bigint => (exact * 2n + 3_600_000_000_000n) / 7_200_000_000_000n;
const charged = async (projectId: string) =>
  (
    await root.query(
      `select coalesce(sum(amount_minor), 0)::text as windows, coalesce(sum(quantity_ms), 0)::text as quantity,
         (select coalesce(sum(amount_minor), 0)::text from usage_days where resource_id = $1) as days,
         (select coalesce(sum(l.amounts[2]), 0)::text from ledger_entries l join usage_windows u on u.id = l.id
          where u.resource_id = $1) as ledger,
         (select charged_minor::text from usage_meters where resource_id = $1) as meter
       from usage_windows where resource_id = $1`,
      [projectId],
    )
  ).rows[0] as Record<'windows' | 'quantity' | 'days' | 'ledger' | 'meter', string>;
const problems = (organizationId: string) =>
  api.database.read(actOf('test.look'), async (tx) => ({
    chain: (await verifyChain(tx, organizationId))?.wrong_link,
    usage: await findWrongUsage(tx, organizationId),
    day: await findWrongDay(tx, organizationId),
  }));
const fits = { chain: null, usage: undefined, day: undefined };

const gib = 2n ** 30n;
/** From nothing to more than a petabyte, a few changes apart by milliseconds or hours. */
const anyLife = fc
  .array(
    fc.record({
      gapMs: fc.oneof(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 9 * hourMs })),
      bytes: fc.oneof(fc.constant(0n), fc.bigInt({ min: 1n, max: gib }), fc.bigInt({ min: 1n, max: 2n ** 51n })),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((pieces) => {
    let atMs = 0;
    return pieces.map(({ gapMs, bytes }): Change => {
      atMs += gapMs;
      return { atMs, bytes };
    });
  });

describe('storage', () => {
  it('is charged exactly what was stored times its price, in however many windows and rounds', async () => {
    await price('EUR', 3_170n, base - hourMs);
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyLife, { minLength: 1, maxLength: 3 }),
        fc.array(fc.constantFrom(60, 600, 3_600, 86_400), { minLength: 1, maxLength: 5 }),
        async (lives, windowSizes) => {
          const made = [];
          for (const changes of lives) {
            const home = await foundOrganization(root, 'EUR');
            await storing(home, changes);
            made.push({ ...home, changes });
          }
          const step = (40 * hourMs) / windowSizes.length;
          let to = 0;
          for (const [index, seconds] of windowSizes.entries()) {
            const now = base + Math.floor(step * (index + 1));
            to = Math.max(to, Math.floor(now / (seconds * 1_000)) * seconds * 1_000);
            const charge = charging(now);
            while (await charge(seconds, { buckets: 2, windows: 100 }));
          }
          for (const { organizationId, projectId, changes } of made) {
            const quantity = storedUntil(changes, to - base);
            const amount = rounded(quantity * 3_170n).toString();
            expect(await charged(projectId)).toMatchObject({
              ...{ windows: amount, days: amount, ledger: amount, quantity: quantity.toString() },
            });
            expect(await problems(organizationId)).toEqual(fits);
          }
        },
      ),
      { numRuns: 15 },
    );
  });

  it('is charged once when several workers charge at a time', async () => {
    await price('CHF', 1_000_000n, base - hourMs);
    const homes = await Promise.all([1, 2, 3, 4, 5].map(() => foundOrganization(root, 'CHF')));
    for (const home of homes) await storing(home, [{ atMs: 0, bytes: gib }]);
    const run = async () => {
      const charge = charging(base + 10 * hourMs);
      while (await charge(3_600, { buckets: 2, windows: 3 }));
    };
    await Promise.all([run(), run(), run()]);
    await run();
    const until = Math.floor((base + 10 * hourMs) / hourMs) * hourMs;
    for (const { projectId, organizationId } of homes) {
      expect((await charged(projectId)).windows).toBe(rounded(BigInt(until - base) * 1_000_000n).toString());
      expect(await problems(organizationId)).toEqual(fits);
    }
  });

  it('costs nothing before it has a price, and a new price counts from its moment on', async () => {
    const home = await foundOrganization(root, 'GBP');
    await storing(home, [{ atMs: 0, bytes: 100n * gib }]);
    await price('GBP', 100_000n, base + 2 * hourMs);
    await price('GBP', 200_000n, base + 5 * hourMs + 7 * minuteMs);
    const now = Math.ceil((base + 8 * hourMs) / hourMs) * hourMs;
    const charge = charging(now);
    while (await charge(3_600));
    const [cheap, dear] = [3 * hourMs + 7 * minuteMs, now - base - 5 * hourMs - 7 * minuteMs];
    const exact = 100n * (BigInt(cheap) * 100_000n + BigInt(dear) * 200_000n);
    expect(await charged(home.projectId)).toMatchObject({
      ...{ windows: rounded(exact).toString(), quantity: (100n * BigInt(now - base)).toString() },
    });
    expect(await problems(home.organizationId)).toEqual(fits);
  });

  it('that is empty for long has no windows, and is charged again when something is stored', async () => {
    await price('JPY', 5_000_000n, base - hourMs);
    const home = await foundOrganization(root, 'JPY');
    const days = 24 * hourMs;
    await storing(home, [
      { atMs: 0, bytes: gib },
      { atMs: hourMs, bytes: 0n },
      { atMs: 90 * days, bytes: gib },
    ]);
    const charge = charging(base + 90 * days + 3 * hourMs);
    while (await charge(3_600));
    const { rows } = await root.query('select count(*)::int as n from usage_windows where resource_id = $1', [
      home.projectId,
    ]);
    expect(rows[0].n).toBeLessThan(8);
    expect(await problems(home.organizationId)).toEqual(fits);
  });

  it('whose readings or windows were changed does not fit its charges any more', async () => {
    await price('SEK', 1_000_000n, base - hourMs);
    const home = await foundOrganization(root, 'SEK');
    await storing(home, [
      { atMs: 0, bytes: gib },
      { atMs: hourMs, bytes: 2n * gib },
    ]);
    await charging(base + 4 * hourMs)(3_600);
    expect(await problems(home.organizationId)).toEqual(fits);
    await root.query('alter table storage_readings disable trigger user');
    await root.query('update storage_readings set stored_bytes = 1 where project_id = $1', [home.projectId]);
    expect((await problems(home.organizationId)).usage).toBeDefined();
    await root.query('delete from storage_readings where project_id = $1', [home.projectId]);
    expect((await problems(home.organizationId)).usage).toBeDefined();
    await root.query('alter table storage_readings enable trigger user');
  });
});

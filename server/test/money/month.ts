import { sliceSku } from '../../src/domains/allocations/testing.ts';
import { openEvidenceDesk } from '../../src/domains/billing/evidence.ts';
import { makeLeases } from '../../src/domains/billing/testing.ts';
import { openPaymentWorld } from '../../src/domains/payments/testing.ts';
import { actsOf } from '../../src/kernel/act.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { systemIds } from '../../src/kernel/id.ts';
import { silentLog } from '../../src/kernel/telemetry/log.ts';
import { makeMetrics } from '../../src/kernel/telemetry/metrics.ts';
import { asSystem, type Tenant, type World } from '../../src/testing/world.ts';
import { type Chance, makeChance } from './chance.ts';
import { type Life, openHosts } from './hosts.ts';
import type { MoneyMoved } from './oracle.ts';
import { makePayer } from './payer.ts';
import { openWorkers } from './workers.ts';

export interface Month {
  readonly tenant: Tenant;
  readonly lives: readonly Life[];
  readonly moved: MoneyMoved;
  readonly counts: { readonly deaths: number; readonly together: number; readonly rounds: number };
}
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const livesAtOnce = 3;

/**
 * Days of an organization, minute by minute: what hosts sign, what people launch, release and pay, and workers that charge it. The
 * statements are those of the product; only the time that they ask for is the test's.
 */
export async function liveThrough(world: World, seed: number, days: number): Promise<Month> {
  const chance = makeChance(seed);
  let nowMs =
    Date.UTC(2026, chance.below(9), 1 + chance.below(28), chance.below(24), chance.below(60)) + chance.below(60_000);
  const untilMs = nowMs + days * dayMs;
  const pay = await openPaymentWorld(world);
  const hosts = await openHosts(world.root, await makeLeases(world.root), chance);
  const workers = await openWorkers(world.schema, world.root, chance, () => nowMs);
  const desk = openEvidenceDesk({
    ...{ db: world.database.database, begin: actsOf('billing', systemIds), ids: systemIds, log: silentLog },
    ...{ clock: { ...systemClock, sleep: async () => undefined }, metrics: makeMetrics('test', '0.0.0') },
    time: async () => new Date(nowMs),
    speed: () => 1,
  });
  try {
    const tenant = await world.found(`month-${seed}`);
    const finance = () => world.operator('finance');
    const payer = makePayer(world, pay, tenant, finance, chance);
    const releases: { readonly life: Life; readonly atMs: number }[] = [];
    let price = BigInt(chance.between(1, 5_000));
    let workerAwayUntilMs = 0;
    const deliver = async (atLast = false): Promise<void> => {
      const records = hosts.report(nowMs, atLast);
      if (records.length === 0) return;
      const [nodeId] = records.map(({ node_id }) => node_id);
      hosts.heard(records, (await desk.take(nodeId as string, records)).outcomes);
    };
    const release = async (): Promise<void> => {
      for (const { life, atMs } of releases.splice(0)) {
        if (atMs > nowMs) releases.push({ life, atMs });
        else await accept(world, life, atMs);
      }
    };
    await workers.monthsAhead();
    while (nowMs < untilMs) {
      nowMs = Math.min(untilMs, nowMs + stepOf(chance));
      await release();
      if (hosts.lives.filter(({ isOver }) => !isOver).length < livesAtOnce && chance.oneIn(3)) {
        const { life, releaseAtMs } = await hosts.launch(tenant, price, nowMs);
        if (releaseAtMs !== undefined) releases.push({ life, atMs: releaseAtMs });
        await release();
      }
      hosts.measure(nowMs);
      if (chance.oneIn(60)) hosts.goOffline(nowMs + chance.between(1, 8 * 60) * minuteMs);
      await deliver();
      if (chance.oneIn(100)) price = await changePrice(world, finance, chance);
      if (chance.oneIn(80)) await payer.topUp();
      if (chance.oneIn(160)) await payer.refund();
      if (chance.oneIn(200)) await payer.grant();
      if (chance.oneIn(100)) workerAwayUntilMs = nowMs + chance.between(10, 12 * 60) * minuteMs;
      if (nowMs >= workerAwayUntilMs) await workers.charge();
    }
    // The month is over: machines that still run are released, hosts deliver what they kept, and what never ended falls silent.
    for (const { life } of releases.splice(0)) await accept(world, life, nowMs);
    for (let quiet = 0; quiet < 2; quiet += 1) {
      nowMs += dayMs * 4;
      hosts.measure(nowMs);
      await deliver(true);
      await workers.charge();
    }
    await payer.settle();
    return { tenant, lives: hosts.lives, moved: payer.moved, counts: workers.counts };
  } finally {
    await Promise.all([desk.close(), workers.close(), pay.close()]);
  }
}

/** Mostly some minutes; sometimes hours in which nobody looked. */
function stepOf(chance: Chance): number {
  const kind = chance.below(100);
  const minutes = kind < 60 ? chance.between(1, 20) : kind < 95 ? chance.between(20, 60) : chance.between(60, 400);
  return minutes * minuteMs + chance.between(-20_000, 20_000);
}
async function accept(world: World, life: Life, atMs: number): Promise<void> {
  life.releasedMs = atMs;
  await asSystem(world.root, 'update allocations set releasing_at = $2, version = version + 1 where id = $1', [
    ...[life.allocationId, new Date(atMs)],
  ]);
}
/** A new price in the catalog: those that run keep theirs. */
async function changePrice(world: World, finance: () => Promise<string>, chance: Chance): Promise<bigint> {
  const price = chance.between(0, 20_000);
  const answer = await world.call('POST', `/api/v1/admin/skus/${sliceSku}/prices`, {
    ...{ as: await finance(), key: systemIds.next() },
    body: { unit_price: { amount_minor: String(price), currency: 'USD' }, reason: 'another price' },
  });
  if (answer.status !== 201) throw new Error(answer.text);
  return BigInt(price);
}

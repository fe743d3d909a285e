import { type Installation, openInstallation } from '../installation.ts';
import { durableSettings } from '../machine.ts';
import type { Options } from '../options.ts';
import { openPgbench } from '../pgbench.ts';
import { interval, type Report, ratioOf, short } from '../report.ts';
import { interleaved, median, medianWithInterval, quantile } from '../statistics.ts';
import { startWorker } from '../worker.ts';
import { claimBatch, intoPlainQueue } from './backlog.ts';
import type { Received } from './consumer.ts';
import type { Produced, ProducerOrder } from './producer.ts';
import { type Carrier, carriers, openRelayBench, type RelayBench } from './sides.ts';

/**
 * From the commit of an event to the consumer that has it: our outbox and relay beside two queues on the same Postgres,
 * all publishing the same messages to the same JetStream, and beside pgbench that only claims batches and marks them.
 */
const sides = [...carriers, 'D4'] as const;
type Side = (typeof sides)[number];

/** About what each side drains in a second on a quiet machine, so that runs take about as long as was asked for. */
const nominalPerSecond: Readonly<Record<Side, number>> = {
  outbox: 10_000,
  'graphile-worker': 3_000,
  'pg-boss': 600,
  'pg-boss batched': 6_000,
  D4: 40_000,
};
const warmupShare = 0.1;
const claimed = 500;

export async function measureRelay(options: Options, report: Report): Promise<void> {
  const installation = await openInstallation();
  let bench: RelayBench | undefined;
  try {
    const settings = await durableSettings(installation.admin);
    report.say(
      `Postgres for all sides: ${Object.entries(settings)
        .map(([name, value]) => `${name}=${value}`)
        .join(', ')}. JetStream on files, as it is by default.`,
    );
    report.sample({ settings });
    bench = await openRelayBench(installation);
    await measureDrain(installation, bench, options, report);
    await measureLatency(installation, bench, options, report);
  } finally {
    await bench?.close();
    await installation.close();
  }
}

/** Every event, once, in order within its key: ours must; of the others only the count is asked. */
function check(report: Report, carrier: Carrier, expected: number, received: Received): void {
  if (received.distinct !== expected)
    report.violated(`${carrier}: ${expected} committed, ${received.distinct} received`);
  if (carrier !== 'outbox') return;
  if (received.repeated > 0) report.violated(`${carrier}: ${received.repeated} events came more than once`);
  if (received.outOfOrder > 0) report.violated(`${carrier}: ${received.outOfOrder} events overtook one of their key`);
}

async function measureDrain(
  installation: Installation,
  bench: RelayBench,
  options: Options,
  report: Report,
): Promise<void> {
  const pgbench = await openPgbench(report.folder);
  const rates: Record<Side, number[]> = {
    outbox: [],
    'graphile-worker': [],
    'pg-boss': [],
    'pg-boss batched': [],
    D4: [],
  };
  const costs: Record<Side, number[]> = {
    outbox: [],
    'graphile-worker': [],
    'pg-boss': [],
    'pg-boss batched': [],
    D4: [],
  };
  const outOfOrder: Partial<Record<Side, number>> = {};
  for (const [round, order] of interleaved(sides, options.pairs).entries()) {
    for (const side of order) {
      const count = nominalPerSecond[side] * options.seconds;
      if (side === 'D4') {
        await intoPlainQueue(installation.admin, count);
        await installation.admin.query('checkpoint');
        const done = await pgbench.run({
          ...{ name: side, text: claimBatch, url: installation.adminUrl(), clients: 1, seconds: 60, warmupSeconds: 0 },
          transactions: count / claimed,
        });
        rates[side].push(done.tps * claimed);
        report.sample({ benchmark: 'relay-drain', round, side, count, perSecond: rates[side].at(-1) });
        continue;
      }
      const drained = await bench.withCarrier(side, Math.round(count * warmupShare), (pids) =>
        bench.drain(side, count, pids),
      );
      check(report, side, count, drained.received);
      rates[side].push(drained.perSecond);
      costs[side].push(drained.cpuUs);
      outOfOrder[side] = (outOfOrder[side] ?? 0) + drained.received.outOfOrder;
      const { perSecond, cpuUs } = drained;
      report.sample({ benchmark: 'relay-drain', round, side, count, perSecond, cpuUs });
    }
  }
  await installation.admin.query('drop table if exists bench_queue');
  report.table({
    title: `Draining a backlog, ${options.pairs} rounds`,
    columns: ['side', 'events/s', 'ours is', 'CPU us/event', 'overtook within a key'],
    rows: sides.map((side) => [
      side,
      short(median(rates[side])),
      interval(ratioOf(rates.outbox, rates[side])),
      short(median(costs[side])),
      String(outOfOrder[side] ?? '-'),
    ]),
  });
  const against = (side: Side, value?: number) =>
    report.verdict({
      claim: `drain, of ${side}`,
      found: ratioOf(rates.outbox, rates[side]),
      ...(value === undefined ? {} : { goal: { at: 'least', value } as const }),
    });
  against('graphile-worker', 1);
  against('pg-boss', 5);
  against('pg-boss batched');
  against('D4');
  report.verdict({
    claim: 'drain',
    unit: 'events/s',
    found: medianWithInterval(rates.outbox),
    goal: { at: 'least', value: 15_000 },
  });
}

const latencyRuns: readonly { readonly carrier: Carrier; readonly rate: number }[] = [
  { carrier: 'outbox', rate: 200 },
  { carrier: 'graphile-worker', rate: 200 },
  { carrier: 'pg-boss batched', rate: 200 },
  { carrier: 'outbox', rate: 1_000 },
  { carrier: 'graphile-worker', rate: 1_000 },
];

async function measureLatency(
  installation: Installation,
  bench: RelayBench,
  options: Options,
  report: Report,
): Promise<void> {
  const producer = installation.keep(await startWorker('relay-producer', { pin: true }));
  const found = latencyRuns.map(() => ({ p50: [] as number[], p99: [] as number[], whole99: [] as number[] }));
  const rounds = Math.min(options.pairs, 5);
  for (const [round, order] of interleaved([...latencyRuns.entries()], rounds).entries()) {
    for (const [index, { carrier, rate }] of order) {
      const total = rate * (options.seconds + options.warmupSeconds);
      const url = carrier === 'outbox' ? installation.urlFor('gpuaas_api') : installation.adminUrl();
      const { produced, received } = await bench.withCarrier(carrier, rate, async () => {
        const run = bench.nextRun();
        await bench.expect(run, total);
        const seconds = options.seconds + options.warmupSeconds;
        const produced = await producer.ask<Produced>({
          kind: carrier,
          url,
          run,
          rate,
          seconds,
        } satisfies ProducerOrder);
        return { produced, received: await bench.received() };
      });
      check(report, carrier, total, received);
      const arrivals = new Map(received.arrivals);
      const firstDue = Math.min(...produced.committed.map(([, dueAt]) => dueAt));
      const measured = produced.committed.filter(([, dueAt]) => dueAt >= firstDue + options.warmupSeconds * 1_000);
      // An event may arrive before its writer has heard of its commit; that is an arrival at once.
      const afterCommit = measured.map(([slug, , committedAt]) =>
        Math.max(0, (arrivals.get(slug) ?? Number.POSITIVE_INFINITY) - committedAt),
      );
      const whole = measured.map(([slug, dueAt]) => (arrivals.get(slug) ?? Number.POSITIVE_INFINITY) - dueAt);
      found[index]?.p50.push(quantile(afterCommit, 0.5));
      found[index]?.p99.push(quantile(afterCommit, 0.99));
      found[index]?.whole99.push(quantile(whole, 0.99));
      const generator = produced.cpuSeconds / (options.seconds + options.warmupSeconds);
      report.sample({ benchmark: 'relay-latency', round, carrier, rate, generator, afterCommitMs: afterCommit });
    }
  }
  report.table({
    title: 'Latency in ms, open loop (median of rounds)',
    columns: ['side', 'events/s', 'commit to consumer p50', 'p99', 'intended start to consumer p99'],
    rows: latencyRuns.map(({ carrier, rate }, index) => [
      carrier,
      String(rate),
      short(median(found[index]?.p50 ?? [])),
      short(median(found[index]?.p99 ?? [])),
      short(median(found[index]?.whole99 ?? [])),
    ]),
  });
  for (const [index, { carrier, rate }] of latencyRuns.entries()) {
    if (carrier !== 'outbox') continue;
    const goals = rate === 1_000 ? { p50: 4, p99: 15 } : undefined;
    for (const part of ['p50', 'p99'] as const) {
      report.verdict({
        claim: `commit to consumer ${part} at ${rate} events/s`,
        unit: 'ms',
        found: medianWithInterval(found[index]?.[part] ?? []),
        ...(goals ? { goal: { at: 'most', value: goals[part] } as const } : {}),
      });
    }
  }
}

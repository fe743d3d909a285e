import { join } from 'node:path';
import type { Client } from 'pg';
import type { ActivationOrder, ActivationResult } from './activation-load.ts';
import { setUpCapacity } from './capacity-setup.ts';
import type { ChainOrder, ChainResult } from './dbos-chain.ts';
import type { FleetOrder } from './fleet.ts';
import { openInstallation } from './installation.ts';
import { durableSettings } from './machine.ts';
import type { Options } from './options.ts';
import { cpuSeconds } from './processes.ts';
import { interval, type Report, ratioOf, short } from './report.ts';
import { interleaved, median, medianWithInterval, quantile } from './statistics.ts';
import { startWorker } from './worker.ts';

/**
 * From the request for a GPU to the event that says it is active, with hosts that take no time: HTTP, placement, outbox,
 * bus, saga, signed task, long poll over mutual TLS, signed result, attestation, activation, and the stream back to the caller. Beside it the engine alone, with as many durable steps and one message to wait for.
 *
 * Two loads: one client at a time, which is the latency of an idle installation, and many, which is what it can do.
 */
const nodes = 8;
const sides = ['product', 'DBOS chain'] as const;
type Side = (typeof sides)[number];
interface Figures {
  readonly p50: number[];
  readonly p99: number[];
  readonly perSecond: number[];
}
const goals = { p50Ms: 20, p99Ms: 60, perSecond: 250 };

export async function measureActivation(options: Options, report: Report): Promise<void> {
  const installation = await openInstallation();
  try {
    const settings = await durableSettings(installation.admin);
    report.sample({ settings });
    const setup = await setUpCapacity(installation, { poolSize: options.poolSize });
    const fleet = installation.keep(await startWorker('fleet'));
    const fleetOrder: FleetOrder = {
      ...{ folder: join(installation.folder, 'fleet'), url: setup.url, doorUrl: setup.doorUrl, nodes },
      token: setup.operatorToken,
    };
    const { nodes: ready } = await fleet.ask<{ nodes: number }>(fleetOrder);
    if (ready !== nodes) throw new Error(`only ${ready} of ${nodes} hosts came into service`);
    const load = installation.keep(await startWorker('activation-load'));
    const chain = installation.keep(await startWorker('dbos-chain'));
    const times = { seconds: options.seconds, warmupSeconds: options.warmupSeconds };
    for (const clients of new Set([1, Math.max(...options.clients)])) {
      const figures: Record<Side, Figures> = {
        product: { p50: [], p99: [], perSecond: [] },
        'DBOS chain': { p50: [], p99: [], perSecond: [] },
      };
      const releasedP50: number[] = [];
      const cpuMs: number[] = [];
      const commits: number[] = [];
      for (const [round, order] of interleaved(sides, options.pairs).entries()) {
        for (const side of order) {
          await installation.admin.query('checkpoint');
          const note = (ms: readonly number[], perSecond: number) => {
            figures[side].p50.push(median(ms));
            figures[side].p99.push(quantile(ms, 0.99));
            figures[side].perSecond.push(perSecond);
            report.sample({ benchmark: 'activation', round, side, clients, count: ms.length, perSecond, ms });
          };
          if (side === 'product') {
            const pids = [...setup.pids, fleet.pid, installation.postgresPid];
            const before = cpuSeconds(pids);
            const committed = await commitsOf(installation.admin);
            const asked: ActivationOrder = { url: setup.url, ...setup.buyer, clients, ...times };
            const result = await load.ask<ActivationResult>(asked);
            const lives = result.perSecond * (times.seconds + times.warmupSeconds);
            cpuMs.push(((cpuSeconds(pids) - before) * 1_000) / lives);
            commits.push(((await commitsOf(installation.admin)) - committed) / lives);
            releasedP50.push(median(result.releasedMs));
            if (result.failed > 0) report.violated(`${result.failed} lives failed: ${result.firstFailure}`);
            note(result.activeMs, result.perSecond);
          } else {
            const asked: ChainOrder = { url: installation.adminUrl(), clients, ...times };
            const { doneMs, perSecond } = await chain.ask<ChainResult>(asked);
            note(doneMs, perSecond);
          }
        }
      }
      tell(report, clients, figures);
      report.say(
        `\nFrom release to released, p50: ${interval(medianWithInterval(releasedP50))} ms. Per whole life, with what runs anyhow: ${short(median(cpuMs))} ms of CPU in all processes and the database, ${short(median(commits))} transactions.`,
      );
    }
    await check(installation.admin.query.bind(installation.admin), report);
  } finally {
    await installation.close();
  }
}

function tell(report: Report, clients: number, figures: Record<Side, Figures>): void {
  const { product, 'DBOS chain': chain } = figures;
  report.table({
    title: `Request to active, ${clients} at once`,
    columns: ['side', 'p50 ms', 'p99 ms', 'per second'],
    rows: sides.map((side) => [
      side,
      interval(medianWithInterval(figures[side].p50)),
      interval(medianWithInterval(figures[side].p99)),
      interval(medianWithInterval(figures[side].perSecond)),
    ]),
  });
  const at = `${clients} at once`;
  report.verdict({ claim: `p50 over the DBOS chain, ${at}`, found: ratioOf(product.p50, chain.p50) });
  if (clients === 1) {
    report.verdict({
      ...{ claim: 'request to active, p50', unit: 'ms', found: medianWithInterval(product.p50) },
      goal: { at: 'most', value: goals.p50Ms },
    });
    report.verdict({
      ...{ claim: 'request to active, p99', unit: 'ms', found: medianWithInterval(product.p99) },
      goal: { at: 'most', value: goals.p99Ms },
    });
    return;
  }
  report.verdict({ claim: `per second, of the DBOS chain, ${at}`, found: ratioOf(product.perSecond, chain.perSecond) });
  report.verdict({
    ...{ claim: `activations, ${at}`, unit: '/s', found: medianWithInterval(product.perSecond) },
    goal: { at: 'least', value: goals.perSecond },
  });
}

/** Transactions of the whole database so far; a look is one too. */
async function commitsOf(admin: Client): Promise<number> {
  const { rows } = await admin.query<{ commits: string }>(
    'select xact_commit as commits from pg_stat_database where datname = current_database()',
  );
  return Number(rows[0]?.commits);
}

/** Every life has come to its end, and left nothing behind. */
async function check(ask: (text: string) => Promise<{ rows: unknown[] }>, report: Report): Promise<void> {
  const [left] = (
    await ask(
      `select (select count(*)::int from allocations where state <> 'released') as allocations,
         (select count(*)::int from slots where state <> 'available') as slots`,
    )
  ).rows as { allocations: number; slots: number }[];
  if (left?.allocations !== 0) report.violated(`${left?.allocations} allocations did not end as released`);
  if (left?.slots !== 0) report.violated(`${left?.slots} slots did not come back`);
}

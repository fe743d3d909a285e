import type { HttpLoad, HttpLoadResult } from '../http-load.ts';
import { openInstallation } from '../installation.ts';
import { durableSettings } from '../machine.ts';
import type { Options } from '../options.ts';
import { openPgbench } from '../pgbench.ts';
import { cpuSeconds } from '../processes.ts';
import { interval, type Report, ratioOf, short } from '../report.ts';
import { interleaved, median, medianWithInterval, quantile } from '../statistics.ts';
import { startWorker } from '../worker.ts';
import { oneStatement, oneStatementSession, statementByStatement } from './scripts.ts';
import { setUpWritePath } from './setup.ts';

/**
 * One write of the product, from the HTTP request to the durable commit: project row, audit row, event and stored reply.
 * Beside it, on the same server and tables, pgbench does the same one statement at a time (D1) and in one (D2).
 */
const sides = ['one api', 'two apis', 'D1', 'D2'] as const;
type Side = (typeof sides)[number];

interface Sample {
  readonly perSecond: number;
  /** Milliseconds for each write: of our processes, and of all of Postgres. */
  readonly apiCpuMs: number;
  readonly postgresCpuMs: number;
  readonly generatorCpuMs: number;
  /** The generator's share of a core. */
  readonly generator: number;
  readonly writes: number;
}

export async function measureWritePath(options: Options, report: Report): Promise<void> {
  const installation = await openInstallation();
  try {
    await measure(installation, options, report);
  } finally {
    await installation.close();
  }
}

async function measure(
  installation: Awaited<ReturnType<typeof openInstallation>>,
  options: Options,
  report: Report,
): Promise<void> {
  const { admin, postgresPid } = installation;
  const settings = await durableSettings(admin);
  report.say(
    `Postgres on both sides: ${Object.entries(settings)
      .map(([name, value]) => `${name}=${value}`)
      .join(', ')}`,
  );
  report.sample({ settings });
  const mostClients = Math.max(...options.clients, 32);
  const setup = await setUpWritePath(installation, {
    apis: 2,
    callers: mostClients,
    poolSize: options.poolSize,
    ...(options.profile ? { profileInto: report.folder } : {}),
  });
  const loader = installation.keep(await startWorker('http-load', { pin: true }));
  const pgbench = await openPgbench(report.folder);
  let run = 0;
  const overHttp = async (apis: number, load: Partial<HttpLoad> & { readonly clients: number }) => {
    run += 1;
    return loader.ask<HttpLoadResult>({
      targets: setup.apis.slice(0, apis).map(({ host, port }) => ({ host, port })),
      callers: setup.callers,
      warmupSeconds: options.warmupSeconds,
      seconds: options.seconds,
      run: `r${run}`,
      ...load,
    } satisfies HttpLoad);
  };

  // A real write first: pgbench repeats its audit row, event and reply.
  await overHttp(2, { clients: mostClients, seconds: 1, warmupSeconds: 1 });
  const { rows } = await admin.query<{
    actor: string;
    change: string;
    envelope: string;
    fingerprint: string;
    body: string;
  }>(
    `select a.actor_id as actor, a.change::text as change, e.envelope::text as envelope, i.fingerprint, i.body
     from audit_logs a join outbox_events e on e.key = a.target_id
       join idempotency_records i on i.body like '%' || a.target_id || '%'
     where a.action = 'project.create' limit 1`,
  );
  const variables = rows[0];
  if (!variables) throw new Error('no write to take after');
  let expected = (await setup.count()).projects;

  const withPgbench = async (side: Side, clients: number, rate?: number) =>
    pgbench.run({
      name: side,
      text: side === 'D1' ? statementByStatement : oneStatement,
      url: setup.pgbenchUrl,
      clients,
      seconds: options.seconds,
      warmupSeconds: options.warmupSeconds,
      variables,
      ...(side === 'D2' ? { options: oneStatementSession } : {}),
      ...(rate === undefined ? {} : { rate }),
    });

  const runSide = async (side: Side, clients: number): Promise<Sample> => {
    // Each side begins with the same distance to the next checkpoint.
    await admin.query('checkpoint');
    const apis = side === 'one api' ? 1 : side === 'two apis' ? 2 : 0;
    const ours = setup.apis.slice(0, apis).map(({ pid }) => pid);
    const before = { api: cpuSeconds(ours), postgres: cpuSeconds([postgresPid]) };
    const costs = (writes: number, generatorCpuSeconds: number) => ({
      generatorCpuMs: (generatorCpuSeconds * 1_000) / writes,
      apiCpuMs: ((cpuSeconds(ours) - before.api) * 1_000) / writes,
      postgresCpuMs: ((cpuSeconds([postgresPid]) - before.postgres) * 1_000) / writes,
    });
    const wallSeconds = options.seconds + options.warmupSeconds;
    if (apis > 0) {
      const done = await overHttp(apis, { clients });
      if (done.failed > 0) report.violated(`${side}: ${done.failed} requests failed, first ${done.firstFailure}`);
      const generator = done.cpuSeconds / wallSeconds;
      return { perSecond: done.perSecond, ...costs(done.created, done.cpuSeconds), generator, writes: done.created };
    }
    const done = await withPgbench(side, clients);
    if (done.failed > 0) report.violated(`${side}: ${done.failed} transactions failed`);
    const generator = done.clientCpuSeconds / wallSeconds;
    return {
      perSecond: done.tps,
      ...costs(done.transactions, done.clientCpuSeconds),
      generator,
      writes: done.transactions,
    };
  };

  const check = async (when: string) => {
    const counts = await setup.count();
    for (const [kind, found] of Object.entries(counts)) {
      if (found !== expected)
        report.violated(`${when}: ${expected} writes were acknowledged, ${found} ${kind} are there`);
    }
  };

  const saturation = new Map<Side, number>();
  for (const clients of options.clients) {
    const samples: Record<Side, Sample[]> = { 'one api': [], 'two apis': [], D1: [], D2: [] };
    for (const [round, order] of interleaved(sides, options.pairs).entries()) {
      for (const side of order) {
        const sample = await runSide(side, clients);
        samples[side].push(sample);
        expected += sample.writes;
        report.sample({ benchmark: 'write-path', clients, round, side, ...sample });
      }
      await check(`${clients} clients, round ${round}`);
    }
    const rates = (side: Side) => samples[side].map(({ perSecond }) => perSecond);
    // Everything that runs for a write, the generator too: what decides when there is no core to spare.
    const costs = (side: Side) =>
      samples[side].map((sample) => sample.apiCpuMs + sample.postgresCpuMs + sample.generatorCpuMs);
    for (const side of sides) saturation.set(side, median(rates(side)));
    report.table({
      title: `Writes with ${clients} client${clients === 1 ? '' : 's'}, ${options.pairs} rounds of ${options.seconds} s`,
      columns: [
        'side',
        'writes/s',
        'of D1',
        'of D2',
        'by CPU, of D1',
        'of D2',
        'CPU ms/write: api',
        'Postgres',
        'generator, cores',
      ],
      rows: sides.map((side) => [
        side,
        short(median(rates(side))),
        interval(ratioOf(rates(side), rates('D1'))),
        interval(ratioOf(rates(side), rates('D2'))),
        interval(ratioOf(costs('D1'), costs(side))),
        interval(ratioOf(costs('D2'), costs(side))),
        short(median(samples[side].map(({ apiCpuMs }) => apiCpuMs))),
        short(median(samples[side].map(({ postgresCpuMs }) => postgresCpuMs))),
        short(median(samples[side].map((sample) => sample.generator))),
      ]),
    });
    if (clients === 32) {
      for (const side of ['one api', 'two apis'] as const) {
        report.verdict({
          claim: `${side}, 32 clients, of D2`,
          found: ratioOf(rates(side), rates('D2')),
          goal: { at: 'least', value: 0.5 },
        });
        report.verdict({
          claim: `${side}, 32 clients, of D1`,
          found: ratioOf(rates(side), rates('D1')),
          goal: { at: 'least', value: 1.2 },
        });
      }
    }
  }

  // Latency: requests are due at half of what the side can do, and wait for nobody.
  const rounds = Math.min(options.pairs, 5);
  const latency: Record<'two apis' | 'D2', number[][]> = { 'two apis': [], D2: [] };
  for (const order of interleaved(['two apis', 'D2'] as const, rounds)) {
    for (const side of order) {
      await admin.query('checkpoint');
      const rate = Math.max(1, Math.round((saturation.get(side) ?? 0) / 2));
      if (side === 'D2') {
        const done = await withPgbench(side, 32, rate);
        expected += done.transactions;
        latency[side].push([...done.latenciesUs]);
      } else {
        const done = await overHttp(2, { clients: 32, rate });
        if (done.failed > 0) report.violated(`${side}: ${done.failed} requests failed, first ${done.firstFailure}`);
        expected += done.created;
        latency[side].push([...done.latenciesUs]);
      }
      report.sample({ benchmark: 'write-path-latency', side, rate, latenciesUs: latency[side].at(-1) });
    }
  }
  const at = (side: 'two apis' | 'D2', share: number) => latency[side].map((values) => quantile(values, share) / 1_000);
  report.table({
    title: 'Latency in ms at half of the saturation, from the intended start (median of rounds)',
    columns: ['side', 'due/s', 'p50', 'p99'],
    rows: (['two apis', 'D2'] as const).map((side) => [
      side,
      short((saturation.get(side) ?? 0) / 2),
      short(median(at(side, 0.5))),
      short(median(at(side, 0.99))),
    ]),
  });
  report.verdict({
    claim: 'p99 at half load, of that of D2',
    found: ratioOf(at('two apis', 0.99), at('D2', 0.99)),
    goal: { at: 'most', value: 3 },
  });
  report.verdict({
    claim: 'p99 at half load',
    unit: 'ms',
    found: medianWithInterval(at('two apis', 0.99)),
    goal: { at: 'most', value: 25 },
  });

  // A replay after each write, one client: what a repeated request costs.
  const replays: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const done = await overHttp(1, { clients: 1, replay: true });
    if (done.failed > 0) report.violated(`replays: ${done.failed} failed, first ${done.firstFailure}`);
    if (done.replayed !== done.created) report.violated(`${done.created} writes and ${done.replayed} replays`);
    expected += done.created;
    replays.push(median(done.replayLatenciesUs) / median(done.latenciesUs));
    report.sample({ benchmark: 'write-path-replay', round, ratio: replays.at(-1) });
  }
  report.verdict({
    claim: 'p50 of a replay, of that of a write',
    found: medianWithInterval(replays),
    goal: { at: 'most', value: 0.4 },
  });
  await check('at the end');
  const { rows: strays } = await admin.query<{ strays: number }>(
    `select (select count(*)::int from projects p where not exists (
         select from audit_logs a where a.target_id = p.id::text and a.action = 'project.create'))
       + (select count(*)::int from projects p where p.slug like 'r%' and not exists (
         select from outbox_events e where e.key = p.id::text)) as strays`,
  );
  if (strays[0]?.strays !== 0) report.violated(`${strays[0]?.strays} projects lack their audit row or event`);
}

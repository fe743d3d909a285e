import type { HttpLoad, HttpLoadResult } from '../http-load.ts';
import type { openInstallation } from '../installation.ts';
import type { Options } from '../options.ts';
import { openPgbench } from '../pgbench.ts';
import { cpuSeconds } from '../processes.ts';
import type { Report } from '../report.ts';
import { startWorker } from '../worker.ts';
import { oneStatement, oneStatementSession, statementByStatement } from './scripts.ts';
import { setUpWritePath } from './setup.ts';

/** Who writes: our api over HTTP, alone or two of them, or pgbench. */
export const sides = ['one api', 'two apis', 'D1', 'D2'] as const;
export type Side = (typeof sides)[number];

export interface Sample {
  readonly perSecond: number;
  /** Milliseconds for each write: of our processes, and of all of Postgres. */
  readonly apiCpuMs: number;
  readonly postgresCpuMs: number;
  readonly generatorCpuMs: number;
  /** The generator's share of a core. */
  readonly generator: number;
  readonly writes: number;
}

type Installation = Awaited<ReturnType<typeof openInstallation>>;

export async function openSides(installation: Installation, options: Options, report: Report) {
  const { admin, postgresPid } = installation;
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
  const variables = await readWrite(admin);
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

  const write = async (side: Side, clients: number): Promise<Sample> => {
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

  return { overHttp, withPgbench, write, count: setup.count };
}
export type Sides = Awaited<ReturnType<typeof openSides>>;

/** The values of one write of ours. */
async function readWrite(admin: Installation['admin']) {
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
  const [variables] = rows;
  if (!variables) throw new Error('no write to take after');
  return variables;
}

import { DBOSClient } from '@dbos-inc/dbos-sdk';
import { migrateSystemDatabase } from '@dbos-inc/dbos-sdk/internal/system_database';
import { GlobalLogger } from '@dbos-inc/dbos-sdk/internal/telemetry/logs';
import { Client, escapeIdentifier } from 'pg';
import { Check } from 'typebox/schema';
import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/id.ts';
import type { Saga } from '../../kernel/saga.ts';
import { type Beginning, laneName, makeAttempts, runName, runOf, type SagaLog } from './attempts.ts';
import { leaseTables } from './dbos-leases.ts';
import { openPool } from './dbos-pool.ts';
import { type DbosSeat, joinDbosProcess } from './dbos-process.ts';
import {
  applicationName,
  dbosSchema,
  type Letter,
  letterKey,
  plainJson,
  quietLogger,
  workflowName,
} from './dbos-worker.ts';
import type { Ending } from './interpreter.ts';
import { asJson } from './json.ts';
import { planOf } from './plan.ts';
import type { Sagas } from './port.ts';
import { isSealedBy, readToken } from './token.ts';
import { makeTurns } from './turns.ts';

export interface DbosSagasConfig {
  readonly url: string;
  /** Stable for a process across its restarts, and different from every other living process. */
  readonly executorId: string;
  /**
   * Not the version of the product: DBOS would leave the runs of an older one lying. Sagas carry their own versions,
   * and this one changes only when the interpreter itself does.
   */
  readonly applicationVersion?: string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: SagaLog;
  /** How long a silent process is believed to be alive. */
  readonly leaseMs?: number;
  /** How long `close` waits for attempts in work before it leaves them to the next process. */
  readonly closeWithinMs?: number;
  /** How long the records of ended runs are kept; stuck ones stay. Temporal calls this a namespace's retention. */
  readonly keepEndedMs?: number;
  /** False when the role of this process may not create tables; `migrateDbosSagas` then ran before. */
  readonly migrate?: boolean;
}

const lockSql = `select pg_try_advisory_lock(hashtext('gpuaas_sagas.migrate')) as ours`;

/**
 * Creates or updates the tables of DBOS and of the leases, and lets the given roles use them. Several processes may do
 * so at once.
 */
export async function migrateDbosSagas(
  url: string,
  options: { readonly log: SagaLog; readonly clock: Clock; readonly roles?: readonly string[] },
): Promise<void> {
  const logger = new GlobalLogger(undefined, { logger: quietLogger(options.log) });
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    // Asked again and again, not waited for: DBOS builds indexes concurrently, and those wait for whoever waits here.
    while (!(await client.query<{ ours: boolean }>(lockSql)).rows[0]?.ours) await options.clock.sleep(100);
    await migrateSystemDatabase(url, logger, dbosSchema);
    await client.query(leaseTables);
    for (const role of options.roles ?? []) {
      await migrateSystemDatabase(url, logger, dbosSchema, role);
      await client.query(`grant usage on schema saga_leases to ${escapeIdentifier(role)}`);
      await client.query(`grant select, insert, update, delete on saga_leases.executor to ${escapeIdentifier(role)}`);
    }
  } finally {
    await client.end();
  }
}

export async function openDbosSagas(config: DbosSagasConfig): Promise<Sagas> {
  const { url, clock, ids, log } = config;
  const applicationVersion = config.applicationVersion ?? 'interpreter-1';
  if (config.migrate !== false) await migrateDbosSagas(url, { log, clock });
  const pool = openPool(url, 4, log);
  const client = await DBOSClient.create({
    systemDatabaseUrl: url,
    systemDatabasePool: pool,
    systemDatabaseSchemaName: dbosSchema,
    serializer: plainJson,
    applicationName,
  });

  const served = new Map<string, Saga<never>>();
  let seat: DbosSeat | undefined;
  let closed: Promise<void> | undefined;
  const inTurn = makeTurns();
  const join = () => {
    const { executorId, leaseMs = 15_000, keepEndedMs = 30 * 86_400_000 } = config;
    const process = { url, executorId, applicationVersion, leaseMs, keepEndedMs, clock, log };
    return joinDbosProcess(process, makeAttempts({ sagas: served, clock, ids, log }));
  };
  const notify = (lane: string) => pool.query("select pg_notify('gpuaas_sagas', $1)", [lane]);

  const find = async (run: string) => {
    const found = await client.getWorkflow(run);
    if (!found) return undefined;
    const beginning = (found.input as readonly Beginning[] | undefined)?.[0];
    return { status: found.status, ending: found.output as Ending | undefined, beginning, error: found.error };
  };
  const readLetter = async (run: string, step: string): Promise<Letter | undefined> => {
    const text = `select message from dbos.notifications where message_uuid = $1`;
    const found = await pool.query<{ message: string }>(text, [`${letterKey(step)}::${run}`]);
    return found.rows[0] && (plainJson.parse(found.rows[0].message) as Letter);
  };

  return {
    async start(saga, id, params, origin) {
      const plan = planOf(saga);
      const beginning: Beginning = {
        plan,
        id,
        params: asJson(params, 'params') as object,
        origin,
        secret: ids.secret(32),
      };
      const lane = laneName(saga);
      const options = {
        queueName: lane,
        workflowName,
        workflowID: runName(saga.name, id),
        appVersion: applicationVersion,
      };
      await client.enqueue(options, beginning);
      await notify(lane);
    },

    async answer(token, value) {
      const parts = readToken(token);
      const run = parts && (await find(parts.run));
      const step = run?.beginning?.plan.steps.find(
        (planned) => planned.name === parts?.step && planned.kind === 'wait',
      );
      if (!parts || !run?.beginning || !step || !isSealedBy(run.beginning.secret, parts)) return 'unknown';
      if (!Check(step.answer ?? {}, value)) return 'invalid';
      const before = await readLetter(parts.run, parts.step);
      if (before) return 'late' in before ? 'unknown' : 'already answered';
      if (run.status !== 'PENDING' && run.status !== 'ENQUEUED') return 'unknown';
      const by = ids.next();
      const letter: Letter = { by, value: asJson(value, 'the answer') };
      await client.send(parts.run, letter, parts.step, letterKey(parts.step));
      const first = await readLetter(parts.run, parts.step);
      if (!first || 'late' in first) return 'unknown';
      return first.by === by ? 'accepted' : 'already answered';
    },

    async look(saga, id) {
      const run = await find(runName(saga.name, id));
      if (!run) return undefined;
      if (run.status === 'SUCCESS' && run.ending) return runOf(id, run.ending);
      const at = await client.getEvent<string>(runName(saga.name, id), 'at', { timeoutSeconds: 0 });
      const step = at ?? undefined;
      if (run.status === 'PENDING' || run.status === 'ENQUEUED')
        return { id, state: 'running', step, reason: undefined };
      return { id, state: 'stuck', step, reason: `the engine ended the run: ${run.status} ${String(run.error ?? '')}` };
    },

    serve: (sagas) =>
      inTurn(async () => {
        for (const saga of sagas) served.set(laneName(saga), saga);
        seat ??= await join();
        for (const saga of sagas) await seat.listen(laneName(saga));
        await seat.wakeAll();
      }),

    async check() {
      await pool.query('select 1 from dbos.workflow_status limit 1');
    },

    close: () => {
      closed ??= inTurn(async () => {
        await seat?.close(config.closeWithinMs ?? 10_000);
        await client.destroy();
        await pool.end();
      });
      return closed;
    },
  };
}

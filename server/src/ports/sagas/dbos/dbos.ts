import { DBOSClient } from '@dbos-inc/dbos-sdk';
import { migrateSystemDatabase } from '@dbos-inc/dbos-sdk/internal/system_database';
import { GlobalLogger } from '@dbos-inc/dbos-sdk/internal/telemetry/logs';
import { escapeIdentifier } from 'pg';
import { Check } from 'typebox/schema';
import type { Clock } from '../../../kernel/clock.ts';
import type { Ids } from '../../../kernel/id.ts';
import type { Saga } from '../../../kernel/saga.ts';
import { connectSingle } from '../../single-connection.ts';
import { type Beginning, laneName, makeAttempts, runName, runOf, type SagaLog } from '../attempts.ts';
import type { Ending } from '../interpreter.ts';
import { asJson } from '../json.ts';
import { planOf } from '../plan.ts';
import type { Sagas } from '../port.ts';
import { type Letter, standingOf } from '../standing.ts';
import { isSealedBy, readToken } from '../token.ts';
import { makeTurns } from '../turns.ts';
import { runsChannel } from './ears.ts';
import { leaseTables } from './leases.ts';
import { openPool } from './pool.ts';
import { type DbosSeat, joinDbosProcess } from './process.ts';
import { applicationName, makeRecords, plainJson } from './records.ts';
import { dbosSchema, quietLogger, workflowName } from './worker.ts';

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

interface RunRow {
  readonly status: string;
  readonly inputs: string;
  readonly output: string | null;
  readonly error: string | null;
  readonly letters: readonly (readonly [step: string, message: string])[] | null;
}
/** A run with the letters of its waits. */
const findSql = {
  name: 'saga-run',
  text: `select s.status, i.inputs, o.output, o.error, (
      select json_agg(json_build_array(n.topic, n.message)) from dbos.notifications n
      where n.destination_uuid = s.workflow_uuid
    ) as letters
    from dbos.workflow_status s
    join dbos.workflow_input i using (workflow_uuid) left join dbos.workflow_output o using (workflow_uuid)
    where s.workflow_uuid = $1`,
};
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
  const client = await connectSingle({ connectionString: url });
  try {
    // Polled, not awaited under a lock: DBOS builds indexes concurrently, and those wait for open transactions.
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
  const applicationVersion = config.applicationVersion ?? 'interpreter-2';
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
  const notify = (lane: string) => pool.query('select pg_notify($1, $2)', [runsChannel, lane]);
  const records = makeRecords({ pool, clock, log });

  const find = async (run: string) => {
    const { rows } = await pool.query<RunRow>({ ...findSql, values: [run] });
    const [row] = rows;
    if (!row) return undefined;
    const [beginning] = plainJson.parse(row.inputs) as Beginning[];
    return {
      isOpen: row.status === 'PENDING' || row.status === 'ENQUEUED',
      status: row.status,
      beginning,
      ending: row.output === null ? undefined : (plainJson.parse(row.output) as Ending),
      error: row.error,
      letters: new Map(row.letters?.map(([step, message]) => [step, plainJson.parse(message) as Letter])),
    };
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
      const run = runName(saga.name, id);
      // A process that serves the saga itself need not notify others.
      if (await seat?.begin(lane, run, beginning)) return;
      const options = { queueName: lane, workflowName, workflowID: run, appVersion: applicationVersion };
      await client.enqueue(options, beginning);
      await notify(lane);
    },

    async answer(token, value) {
      const parts = readToken(token);
      if (!parts) return 'unknown';
      const here = seat?.beginningOf(parts.run);
      const run = here ? { beginning: here, isOpen: true, letters: undefined } : await find(parts.run);
      const step = run?.beginning?.plan.steps.find(({ name, kind }) => name === parts.step && kind === 'wait');
      if (!run?.beginning || !step || !isSealedBy(run.beginning.secret, parts)) return 'unknown';
      if (!Check(step.answer ?? {}, value)) return 'invalid';
      const before = run.letters?.get(parts.step);
      if (before) return 'late' in before ? 'unknown' : 'already answered';
      if (!run.isOpen) return 'unknown';
      const by = ids.next();
      const letter: Letter = { by, value: asJson(value, 'the answer') };
      if (await records.post(parts.run, parts.step, letter)) {
        seat?.deliver(parts.run, parts.step, letter);
        return 'accepted';
      }
      const first = await records.letter(parts.run, parts.step);
      if (!first || 'late' in first) return 'unknown';
      return first.by === by ? 'accepted' : 'already answered';
    },

    async look(saga, id) {
      const name = runName(saga.name, id);
      const run = await find(name);
      if (!run) return undefined;
      if (run.ending) return runOf(id, run.ending);
      const at = run.beginning && (await standingOf(run.beginning.plan, await records.read(name), run.letters));
      const step = at?.step;
      if (run.isOpen) return { id, state: at?.doing === 'stuck' ? 'stuck' : 'running', step, reason: at?.reason };
      return { id, state: 'stuck', step, reason: `the engine ended the run: ${run.status} ${run.error ?? ''}` };
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

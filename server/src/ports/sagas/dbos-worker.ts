import { DBOS } from '@dbos-inc/dbos-sdk';
import { DBOSExecutor } from '@dbos-inc/dbos-sdk/internal/dbos-executor';
import { DBOSError } from '@dbos-inc/dbos-sdk/internal/error';
import { wfQueueRunner } from '@dbos-inc/dbos-sdk/internal/wfqueue';
import type { Clock } from '../../kernel/clock.ts';
import { type Beginning, laneName, type RunAttempt, type SagaLog } from './attempts.ts';
import { openPool } from './dbos-pool.ts';
import { type Ending, type Engine, interpret, type PlannedStep } from './interpreter.ts';

/**
 * The part of the DBOS driver that does the work. DBOS is one per Node process, with its state in globals; all of
 * that is kept in this file. Two of its insides are used, since no public call does the same: giving a dead process's
 * runs back to their queues, and looking into a queue at once instead of at the next poll. The version of DBOS is
 * pinned exactly, and the suite fails if either is gone.
 */
export interface DbosWorker {
  /** Somebody in this process who serves sagas. */
  join(runAttempt: RunAttempt): DbosMember;
  /** Takes what waits in this lane, now. */
  wake(lane: string): Promise<void>;
  wakeAll(): Promise<void>;
  /** The runs that are worked on here. */
  active(): readonly string[];
  adopt(executorId: string): Promise<number>;
  close(): Promise<void>;
}
export interface DbosMember {
  listen(lane: string): Promise<void>;
  /** Waits for the attempts in work, but not for ever; what is unfinished is left to the next process. */
  close(withinMs: number): Promise<void>;
}
interface Member {
  readonly runAttempt: RunAttempt;
  readonly stopping: AbortController;
  readonly inFlight: Set<Promise<unknown>>;
  closed: boolean;
}

export const applicationName = 'gpuaas';
export const workflowName = 'saga';
export const dbosSchema = 'dbos';

/** Rows hold plain JSON: they can be read in psql, and only what JSON can hold survives. */
export const plainJson = {
  name: () => 'plain_json',
  stringify: (value: unknown): string => JSON.stringify(value) ?? 'null',
  parse: (text: string | null | undefined): unknown => (text === null || text === undefined ? null : JSON.parse(text)),
};

/** What stands in a wait's mailbox: an answer, or that it is closed. The first message counts. */
export type Letter = { readonly by: string; readonly value: unknown } | { readonly late: true };
/** All letters of a wait have one key, so that Postgres keeps the first and drops the rest. */
export const letterKey = (step: string): string => `answer:${step}`;

/** A notification wakes a sleeping run; this is only how long a lost one can go unnoticed. */
const answerCheckMs = 15_000;
const queueCheckMs = 1_000;
/** No step can have this name. */
const pauseTopic = '(pause)';
/** A run whose records are beyond repair must not go round for ever. */
const breaksAllowed = 10;

type Queue = Awaited<ReturnType<typeof DBOS.registerQueue>>;

let running: ((beginning: Beginning) => Promise<Ending>) | undefined;
let registered = false;

/** Never settles: a run that was left behind by a closed worker must neither go on nor end. */
const parked = (): Promise<never> => new Promise(() => undefined);

export async function openDbosWorker(parts: {
  readonly url: string;
  readonly executorId: string;
  readonly applicationVersion: string;
  readonly clock: Clock;
  readonly log: SagaLog;
}): Promise<DbosWorker> {
  const { clock, log } = parts;
  if (running) throw new Error('DBOS is one per process, and it already runs here');
  const pool = openPool(parts.url, 12, log);
  const lanes = new Map<string, { readonly member: Member; readonly queue: Queue }>();

  const active = new Set<string>();
  const broken = new Map<string, number>();
  running = async (beginning) => {
    const { saga: name, version } = beginning.plan;
    const runId = DBOS.workflowID ?? '';
    const lane = lanes.get(laneName({ name, version }));
    if (!lane) return parked();
    active.add(runId);
    try {
      const ending = await interpret(beginning.plan, engineFor(lane.member, beginning, runId));
      broken.delete(runId);
      return ending;
    } catch (error) {
      // What DBOS itself says is final. Else it could not read or write: the run is no longer active here, and the
      // watch over stray runs puts it back into its queue.
      const times = (broken.get(runId) ?? 0) + 1;
      if (error instanceof DBOSError || times >= breaksAllowed) throw error;
      broken.set(runId, times);
      log.warn({ run: runId, error: String(error) }, 'a saga was broken off by its engine');
      active.delete(runId);
      return await parked();
    } finally {
      active.delete(runId);
    }
  };
  if (!registered) {
    // Unlimited, since each restart during a wait of days counts as a recovery.
    const config = { name: workflowName, maxRecoveryAttempts: Number.MAX_SAFE_INTEGER };
    DBOS.registerWorkflow((beginning: Beginning) => (running ? running(beginning) : parked()), config);
    registered = true;
  }
  try {
    DBOS.setConfig({
      name: applicationName,
      systemDatabaseUrl: parts.url,
      // Ours, since a connection that its own pool lends out ends the process when the server cuts it.
      systemDatabasePool: pool,
      systemDatabaseSchemaName: dbosSchema,
      applicationVersion: parts.applicationVersion,
      executorID: parts.executorId,
      serializer: plainJson,
      runMigrations: false,
      listenQueues: ['none of its own'],
      logger: quietLogger(log),
    });
    await DBOS.launch();
  } catch (error) {
    running = undefined;
    await pool.end();
    throw error;
  }

  const wake = async (name: string) => {
    const lane = lanes.get(name);
    const executor = DBOSExecutor.globalInstance;
    // In brackets, since the types call the method private.
    if (lane && !lane.member.closed && executor) await wfQueueRunner['pollQueue'](executor, lane.queue);
  };
  return {
    join(runAttempt) {
      const member: Member = { runAttempt, stopping: new AbortController(), inFlight: new Set(), closed: false };
      return {
        async listen(lane) {
          wfQueueRunner.pollerQueueNames.add(lane);
          lanes.set(lane, { member, queue: await DBOS.registerQueue(lane, { minPollingIntervalMs: queueCheckMs }) });
        },
        async close(withinMs) {
          member.closed = true;
          for (const [name, lane] of lanes) if (lane.member === member) wfQueueRunner.pollerQueueNames.delete(name);
          const patience = new AbortController();
          const enough = clock.sleep(withinMs, patience.signal).catch(() => undefined);
          await Promise.race([Promise.allSettled(member.inFlight), enough]);
          patience.abort();
          member.stopping.abort(new Error('the process is closing'));
        },
      };
    },
    wake,
    active: () => [...active],
    async wakeAll() {
      for (const lane of lanes.keys()) await wake(lane);
    },
    async adopt(executorId) {
      const executor = DBOSExecutor.globalInstance;
      if (!executor) throw new Error('this worker is closed');
      return (await executor.recoverPendingWorkflows([executorId])).length;
    },
    async close() {
      const asleep = DBOSExecutor.globalInstance?.systemDatabase.notificationsMap.map;
      await DBOS.shutdown();
      await pool.end();
      running = undefined;
      // The sleeping runs wake, find the database gone and stop here; their timers would keep the process alive.
      for (const callbacks of [...(asleep?.values() ?? [])]) for (const wakeUp of [...callbacks.values()]) wakeUp();
    },
  };
}

function engineFor(member: Member, beginning: Beginning, runId: string): Engine {
  /** Runs one of the engine's promises, unless the member is closing: then the run stops here, in this process. */
  const durable = async <T>(work: () => Promise<T>): Promise<T> => {
    if (member.closed) return parked();
    try {
      return await work();
    } catch (error) {
      if (member.closed) return parked();
      throw error;
    }
  };
  const post = (step: PlannedStep, letter: Letter) => DBOS.send(runId, letter, step.name, letterKey(step.name));
  return {
    at: (step) => durable(() => DBOS.setEvent('at', step)),
    attempt: (work, step, done) =>
      durable(() => {
        const attempt = async () => {
          const tried = await member.runAttempt({ beginning, work, step, done }, member.stopping.signal);
          // A failure that our own closing caused is not the step's; it runs again after the restart.
          return member.stopping.signal.aborted && tried.end === 'failed' ? parked() : tried;
        };
        const recorded = DBOS.runStep(attempt, { name: `${work} ${step.name}` });
        member.inFlight.add(recorded);
        recorded.finally(() => member.inFlight.delete(recorded)).catch(() => undefined);
        return recorded;
      }),
    async sleep(ms) {
      // As a wait that nobody answers: unlike the timers of DBOS it can be ended when the process closes.
      await durable(() => DBOS.recv(pauseTopic, { timeoutSeconds: ms / 1_000, pollingIntervalMs: answerCheckMs }));
    },
    async answer(step) {
      const wait = { timeoutSeconds: (step.timeoutMs ?? 0) / 1_000, pollingIntervalMs: answerCheckMs };
      const letter = await durable(() => DBOS.recv<Letter>(step.name, wait));
      if (letter) return 'late' in letter ? { end: 'late' } : { end: 'answered', value: letter.value };
      // Time is up. Closing the mailbox is a letter too: if an answer slipped in before it, that one is read.
      await durable(() => post(step, { late: true }));
      const last = await durable(() => DBOS.recv<Letter>(step.name, { timeoutSeconds: 0.1 }));
      return last && !('late' in last) ? { end: 'answered', value: last.value } : { end: 'late' };
    },
    refuse: (step) => durable(() => post(step, { late: true })),
  };
}

/** DBOS tells its life story at `info`; what an operator needs starts at `warn`. */
export const quietLogger = (log: SagaLog) => ({
  info: () => undefined,
  debug: () => undefined,
  warn: (entry: unknown) => log.warn({ engine: 'dbos' }, String(entry)),
  error: (entry: unknown) => log.error({ engine: 'dbos' }, String(entry)),
});

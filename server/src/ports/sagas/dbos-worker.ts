import { DBOS } from '@dbos-inc/dbos-sdk';
import { DBOSExecutor } from '@dbos-inc/dbos-sdk/internal/dbos-executor';
import { wfQueueRunner } from '@dbos-inc/dbos-sdk/internal/wfqueue';
import type { Clock } from '../../kernel/clock.ts';
import type { Beginning, RunAttempt, SagaLog } from './attempts.ts';
import { type Ending, type Engine, interpret } from './interpreter.ts';

/**
 * The part of the DBOS driver that does the work. DBOS is one per Node process, with its state in globals; all of
 * that is kept in this file. Two of its insides are used, since no public call does the same: giving a dead process's
 * runs back to their queues, and looking into a queue at once instead of at the next poll. The version of DBOS is
 * pinned exactly, and the suite fails if either is gone.
 */
export interface DbosWorker {
  listen(lane: string): Promise<void>;
  /** Takes what waits in this lane, now. */
  wake(lane: string): Promise<void>;
  adopt(executorId: string): Promise<number>;
  close(): Promise<void>;
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

let running: ((beginning: Beginning) => Promise<Ending>) | undefined;
let registered = false;

/** Never settles: a run that was left behind by a closed worker must neither go on nor end. */
const parked = (): Promise<never> => new Promise(() => undefined);

export async function openDbosWorker(parts: {
  readonly url: string;
  readonly executorId: string;
  readonly applicationVersion: string;
  readonly closeWithinMs: number;
  readonly clock: Clock;
  readonly log: SagaLog;
  readonly runAttempt: RunAttempt;
}): Promise<DbosWorker> {
  const { clock, log } = parts;
  if (running) throw new Error('DBOS is one per process: these sagas are already served here');
  let closed = false;
  const stopping = new AbortController();
  const inFlight = new Set<Promise<unknown>>();

  /** Runs one of the engine's promises, unless the worker is closing. */
  const durable = async <T>(work: () => Promise<T>): Promise<T> => {
    if (closed) return parked();
    const pending = work().catch((error: unknown) => {
      if (closed) return parked();
      throw error;
    });
    const value = await pending;
    return closed ? parked() : value;
  };
  const engineFor = (beginning: Beginning, runId: string): Engine => ({
    at: (step) => durable(() => DBOS.setEvent('at', step)),
    attempt: (work, step, done) =>
      durable(() => {
        const recorded = DBOS.runStep(
          async () => {
            const tried = await parts.runAttempt({ beginning, work, step, done }, stopping.signal);
            // A failure that our own closing caused is not the step's; it runs again after the restart.
            return stopping.signal.aborted && tried.end === 'failed' ? parked() : tried;
          },
          { name: `${work} ${step.name}` },
        );
        inFlight.add(recorded);
        recorded.finally(() => inFlight.delete(recorded)).catch(() => undefined);
        return recorded;
      }),
    sleep: (ms) => durable(() => DBOS.sleepms(ms)),
    async answer(step) {
      const wait = { timeoutSeconds: (step.timeoutMs ?? 0) / 1_000, pollingIntervalMs: answerCheckMs };
      const letter = await durable(() => DBOS.recv<Letter>(step.name, wait));
      if (letter) return 'late' in letter ? { end: 'late' } : { end: 'answered', value: letter.value };
      // Time is up. Closing the mailbox is a letter too: if an answer slipped in before it, that one is read.
      await durable(() => DBOS.send<Letter>(runId, { late: true }, step.name, letterKey(step.name)));
      const last = await durable(() => DBOS.recv<Letter>(step.name, { timeoutSeconds: 0.1 }));
      return last && !('late' in last) ? { end: 'answered', value: last.value } : { end: 'late' };
    },
    refuse: (step) => durable(() => DBOS.send<Letter>(runId, { late: true }, step.name, letterKey(step.name))),
  });

  running = (beginning) => interpret(beginning.plan, engineFor(beginning, DBOS.workflowID ?? ''));
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
    throw error;
  }

  const lanes = new Map<string, Awaited<ReturnType<typeof DBOS.registerQueue>>>();
  return {
    async listen(lane) {
      wfQueueRunner.pollerQueueNames.add(lane);
      lanes.set(lane, await DBOS.registerQueue(lane, { minPollingIntervalMs: queueCheckMs }));
    },
    async wake(lane) {
      const queue = lanes.get(lane);
      const executor = DBOSExecutor.globalInstance;
      // In brackets, since the types call the method private.
      if (queue && executor && !closed) await wfQueueRunner['pollQueue'](executor, queue);
    },
    async adopt(executorId) {
      const executor = DBOSExecutor.globalInstance;
      if (!executor || closed) throw new Error('this worker is closed');
      return (await executor.recoverPendingWorkflows([executorId])).length;
    },
    async close() {
      closed = true;
      const finished = Promise.allSettled(inFlight);
      const patience = new AbortController();
      await Promise.race([finished, clock.sleep(parts.closeWithinMs, patience.signal).catch(() => undefined)]);
      patience.abort();
      stopping.abort(new Error('the process is closing'));
      for (const lane of lanes.keys()) wfQueueRunner.pollerQueueNames.delete(lane);
      await DBOS.shutdown();
      running = undefined;
    },
  };
}

/** DBOS tells its life story at `info`; what an operator needs starts at `warn`. */
export const quietLogger = (log: SagaLog) => ({
  info: () => undefined,
  debug: () => undefined,
  warn: (entry: unknown) => log.warn({ engine: 'dbos' }, String(entry)),
  error: (entry: unknown) => log.error({ engine: 'dbos' }, String(entry)),
});

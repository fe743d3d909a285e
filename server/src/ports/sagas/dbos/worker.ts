import { randomUUID } from 'node:crypto';
import { DBOS } from '@dbos-inc/dbos-sdk';
import { currentOwnerXid } from '@dbos-inc/dbos-sdk/internal/context';
import { DBOSExecutor } from '@dbos-inc/dbos-sdk/internal/dbos-executor';
import { getLifecycleListeners } from '@dbos-inc/dbos-sdk/internal/decorators';
import { wfQueueRunner } from '@dbos-inc/dbos-sdk/internal/wfqueue';
import type { Pool } from 'pg';
import type { Clock } from '../../../kernel/clock.ts';
import { type Beginning, laneName, type RunAttempt, type SagaLog } from '../attempts.ts';
import {
  type Ending,
  type Engine,
  interpret,
  type PlannedStep,
  type Results,
  type Tried,
  type Work,
} from '../interpreter.ts';
import { cancelTopic, retryTopic } from '../orders.ts';
import { type Letter, marks, type Recorded } from '../standing.ts';
import type { Mailbox, Mailroom } from './mailroom.ts';
import { applicationName, LostRun, plainJson, type Records } from './records.ts';

/**
 * The part of the DBOS driver that does the work. DBOS is one per Node process, with its state in globals; all of
 * that is kept in this file. DBOS holds the runs: who owns one, in which queue it waits, how it ended, and what becomes of
 * it when its process dies. The steps of a run are recorded by ourselves (`dbos-records.ts`).
 *
 * Insides of DBOS are used where no public call does the same: giving a dead process's runs back to their queues, taking
 * what waits in a queue at once, beginning a run here without a queue, writing down its end in one statement, and ending its loops that poll once a second for what we get notifications of. The version of DBOS is pinned exactly, and the suite fails if any of them is gone.
 */
export interface DbosWorker {
  /** A handle of this process that serves sagas. */
  join(runAttempt: RunAttempt): DbosMember;
  /** Takes what waits in this lane, now. */
  wake(lane: string): Promise<void>;
  wakeAll(): Promise<void>;
  /** What this process serves. */
  lanes(): readonly string[];
  /** The runs that are worked on here. */
  active(): readonly string[];
  /** What a run that is worked on here began with. */
  beginningOf(run: string): Beginning | undefined;
  adopt(executorId: string): Promise<number>;
  close(): Promise<void>;
}
export interface DbosMember {
  listen(lane: string): Promise<void>;
  /** Begins a run in this process; false when it does not serve the lane, or not any more. */
  begin(lane: string, run: string, beginning: Beginning): Promise<boolean>;
  /** Waits for the attempts in work, but not for ever; what is unfinished is left to the next process. */
  close(withinMs: number): Promise<void>;
}
interface Member {
  readonly runAttempt: RunAttempt;
  /** Aborted when the member begins to close: what sleeps stops there. */
  readonly leaving: AbortController;
  /** Aborted when it has waited long enough for attempts in work. */
  readonly stopping: AbortController;
  readonly inFlight: Set<Promise<unknown>>;
}

export const workflowName = 'saga';
export const dbosSchema = 'dbos';

/** Unlimited, since each restart during a wait of days counts as a recovery. */
const workflowConfig = { name: workflowName, maxRecoveryAttempts: Number.MAX_SAFE_INTEGER };
/** A run whose records are beyond repair must not go round for ever. */
const breaksAllowed = 10;

type Queue = Awaited<ReturnType<typeof DBOS.registerQueue>>;

let running: ((beginning: Beginning) => Promise<Ending>) | undefined;
let registered: ((beginning: Beginning) => Promise<Ending>) | undefined;

/** Never settles: a run that was left behind by a closed worker must neither go on nor end. */
const parked = (): Promise<never> => new Promise(() => undefined);

export async function openDbosWorker(parts: {
  readonly url: string;
  readonly executorId: string;
  readonly applicationVersion: string;
  readonly pool: Pool;
  readonly records: Records;
  readonly mailroom: Mailroom;
  readonly clock: Clock;
  readonly log: SagaLog;
}): Promise<DbosWorker> {
  const { clock, log, pool } = parts;
  if (running) throw new Error('DBOS is one per process, and it already runs here');
  const lanes = new Map<string, { readonly member: Member; readonly queue: Queue }>();

  const active = new Map<string, { readonly owner: string; readonly beginning: Beginning }>();
  const broken = new Map<string, number>();
  /** Begun here a moment ago: there is nothing to read yet. */
  const unrecorded = new Set<string>();
  running = async (beginning) => {
    const { saga: name, version } = beginning.plan;
    const id = DBOS.workflowID ?? '';
    const owner = currentOwnerXid(id);
    const lane = lanes.get(laneName({ name, version }));
    if (!lane || owner === undefined) return parked();
    const order = new AbortController();
    const watch = parts.mailroom.watch(id, cancelTopic, () => order.abort());
    const leave = () => {
      watch.close();
      if (active.get(id)?.owner === owner) active.delete(id);
    };
    active.set(id, { owner, beginning });
    try {
      const isNew = unrecorded.delete(id);
      const recorded = isNew ? [] : await parts.records.read(id);
      if (!isNew && (await parts.records.letter(id, cancelTopic))) order.abort();
      const run = { id, owner, beginning, recorded, order: order.signal };
      const ending = await interpret(beginning.plan, engineFor(parts, lane.member, run));
      broken.delete(id);
      leave();
      return ending;
    } catch (error) {
      leave();
      // The current owner of the run continues it.
      if (error instanceof LostRun) return parked();
      // It could not be read or written: the run is no longer active here, and the watch over stray runs puts it back
      // into its queue.
      const times = (broken.get(id) ?? 0) + 1;
      if (times >= breaksAllowed) throw error;
      broken.set(id, times);
      log.warn({ run: id, error: String(error) }, 'a saga was broken off by its engine');
      return parked();
    }
  };
  registered ??= DBOS.registerWorkflow(
    (beginning: Beginning) => (running ? running(beginning) : parked()),
    workflowConfig,
  );
  const workflow = registered;
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
      // We listen for what is ours, on a connection that is ours.
      useListenNotify: false,
      logger: quietLogger(log),
    });
    await DBOS.launch();
    await endLoops();
    endRunsThrough(parts.records);
  } catch (error) {
    running = undefined;
    throw error;
  }

  const executorOf = (member: Member) =>
    member.leaving.signal.aborted ? undefined : (DBOSExecutor.globalInstance ?? undefined);
  const wake = async (name: string) => {
    const lane = lanes.get(name);
    const executor = lane && executorOf(lane.member);
    // In brackets, since the types call the method private.
    if (executor) await wfQueueRunner['pollQueue'](executor, lane.queue);
  };
  const begin = async (member: Member, lane: string, run: string, beginning: Beginning): Promise<boolean> => {
    const executor = executorOf(member);
    if (!executor || lanes.get(lane)?.member !== member) return false;
    const waiting = await executor.prepareEnqueuedWorkflow(workflow, [beginning], { workflowID: run, queueName: lane });
    const status = { ...waiting, status: 'PENDING' as const };
    const owner = randomUUID();
    // It has its queue all the same: there it is put if this process dies.
    if (!(await parts.records.begin(status, owner))) return true;
    unrecorded.add(run);
    await executor.executeDequeuedWorkflow(status, owner);
    return true;
  };
  return {
    join(runAttempt) {
      const member: Member = {
        runAttempt,
        leaving: new AbortController(),
        stopping: new AbortController(),
        inFlight: new Set(),
      };
      return {
        async listen(lane) {
          lanes.set(lane, { member, queue: await DBOS.registerQueue(lane) });
        },
        begin: (lane, run, beginning) => begin(member, lane, run, beginning),
        async close(withinMs) {
          member.leaving.abort(new Error('the process is closing'));
          const patience = new AbortController();
          const enough = clock.sleep(withinMs, patience.signal).catch(() => undefined);
          await Promise.race([Promise.allSettled(member.inFlight), enough]);
          patience.abort();
          member.stopping.abort(new Error('the process is closing'));
          for (const [name, lane] of lanes) if (lane.member === member) lanes.delete(name);
        },
      };
    },
    wake,
    lanes: () => [...lanes.keys()],
    active: () => [...active.keys()],
    beginningOf: (run) => active.get(run)?.beginning,
    async wakeAll() {
      for (const lane of lanes.keys()) await wake(lane);
    },
    async adopt(executorId) {
      const executor = DBOSExecutor.globalInstance;
      if (!executor) throw new Error('this worker is closed');
      return (await executor.recoverPendingWorkflows([executorId])).length;
    },
    async close() {
      await DBOS.shutdown();
      running = undefined;
    },
  };
}

/**
 * DBOS looks into each queue once a second, and as often for delayed runs, for runs whose time is up and for schedules. We
 * have neither of the latter, and hear of new runs at once; what nobody heard of is found by the watch over stray runs.
 */
async function endLoops(): Promise<void> {
  wfQueueRunner.stop();
  await DBOSExecutor.globalInstance?.stopWorkflowTimeoutSweep();
  for (const loop of getLifecycleListeners()) await loop.destroy?.();
}

/** A run's end is one statement of ours, as its beginning and its steps are. */
function endRunsThrough(records: Pick<Records, 'end'>): void {
  const database = DBOSExecutor.globalInstance?.systemDatabase;
  if (!database) throw new Error('DBOS has no database of its own');
  const endAsDbos = database.recordWorkflowOutput.bind(database);
  database.recordWorkflowOutput = (run, status, ownerXid) => {
    const owner = ownerXid ?? currentOwnerXid(run);
    return owner === undefined ? endAsDbos(run, status) : records.end(run, owner, status.output ?? null);
  };
}

function engineFor(
  parts: { readonly records: Records; readonly mailroom: Mailroom; readonly clock: Clock; readonly log: SagaLog },
  member: Member,
  run: {
    readonly id: string;
    readonly owner: string;
    readonly beginning: Beginning;
    readonly recorded: readonly Recorded[];
    /** Aborted when a person calls the run off. */
    readonly order: AbortSignal;
  },
): Engine {
  const { records, mailroom, clock, log } = parts;
  const leaving = member.leaving.signal;
  const boxes = new Map<string, Mailbox>();
  let place = 0;
  let calledOff: string | undefined;
  let lastMs = clock.now().getTime();
  /** Does one of the engine's works, unless the member is closing: then the run stops here, in this process. */
  const durable = async <T>(work: () => Promise<T>): Promise<T> => {
    if (leaving.aborted) return parked();
    try {
      return await work();
    } catch (error) {
      if (leaving.aborted) return parked();
      throw error;
    }
  };
  const next = (name: string): Recorded | undefined => {
    const earlier = run.recorded[place];
    if (earlier?.name !== name) return undefined;
    place += 1;
    lastMs = earlier.atMs;
    return earlier;
  };
  const mark = async (name: string, reason: string) => {
    const beganMs = clock.now().getTime();
    lastMs = await records.add(run, place, { name, tried: { end: 'halt', reason }, beganMs });
    place += 1;
  };
  /** Waits for a letter, unless the run is called off: then there is none. */
  const letterUnlessCalledOff = async (box: Mailbox, untilMs: number, isCallable: boolean) => {
    if (!isCallable) return box.letterBefore(untilMs, leaving);
    try {
      return await box.letterBefore(untilMs, AbortSignal.any([leaving, run.order]));
    } catch (error) {
      if (leaving.aborted || !run.order.aborted) throw error;
      return undefined;
    }
  };
  /** Until a person wants it tried, or this time has come. */
  const pause = async (untilMs: number, isCallable: boolean) => {
    if (untilMs <= clock.now().getTime()) return;
    const box = mailroom.open(run.id, retryTopic(place), false);
    await letterUnlessCalledOff(box, untilMs, isCallable).finally(box.close);
  };
  const attempt = async (work: Work, step: PlannedStep, done: Results): Promise<Tried> => {
    const name = `${work} ${step.name}`;
    const earlier = run.recorded[place];
    const at = place;
    place += 1;
    if (earlier) {
      if (earlier.name !== name) throw new Error(`${run.id} went another way before: ${earlier.name}, not ${name}`);
      lastMs = earlier.atMs;
      return earlier.tried;
    }
    // Opened before anybody could answer, so that it need not be looked into unless it rings.
    if (work === 'ask' && !boxes.has(step.name)) boxes.set(step.name, mailroom.open(run.id, step.name, true));
    const beganMs = clock.now().getTime();
    const given = { beginning: run.beginning, work, step, done, calledOff: calledOff !== undefined };
    const tried = await member.runAttempt(given, member.stopping.signal);
    // A failure that our own closing caused is not the step's; it runs again after the restart.
    if (member.stopping.signal.aborted && tried.end === 'failed') return parked();
    lastMs = await records.add(run, at, { name, tried, beganMs });
    return tried;
  };
  return {
    // Readers derive it from the records.
    at: async () => undefined,
    attempt: (work, step, done) =>
      durable(() => {
        const recorded = attempt(work, step, done);
        member.inFlight.add(recorded);
        recorded.finally(() => member.inFlight.delete(recorded)).catch(() => undefined);
        return recorded;
      }),
    sleep: (ms, work) => durable(() => (run.recorded[place] ? Promise.resolve() : pause(lastMs + ms, work !== 'undo'))),
    answer: (step) =>
      durable(async () => {
        const box = boxes.get(step.name) ?? mailroom.open(run.id, step.name, false);
        try {
          let letter = await letterUnlessCalledOff(box, lastMs + (step.timeoutMs ?? 0), true);
          if (!letter) {
            // Time is up, or nobody wants it any more. Closing the mailbox is a letter too: if an answer slipped in before it, that one counts.
            await records.post(run.id, step.name, { late: true });
            letter = await records.letter(run.id, step.name);
          }
          return letter && 'value' in letter ? { end: 'answered', value: letter.value } : { end: 'late' };
        } finally {
          box.close();
          boxes.delete(step.name);
        }
      }),
    refuse: (step) =>
      durable(async () => {
        boxes.get(step.name)?.close();
        boxes.delete(step.name);
        await records.post(run.id, step.name, { late: true });
      }),
    calledOff: () =>
      durable(async () => {
        const earlier = next(marks.cancel)?.tried;
        if (earlier?.end === 'halt') calledOff = earlier.reason;
        if (calledOff !== undefined || run.recorded[place]) return calledOff;
        // The wake-up may come later than the end of the step during which the run was called off, so the letter itself
        // is looked for. Nothing is there before the first step.
        const letter = place > 0 || run.order.aborted ? await records.letter(run.id, cancelTopic) : undefined;
        if (!letter) return undefined;
        const reason = reasonIn(letter);
        await mark(marks.cancel, reason);
        calledOff = reason;
        return calledOff;
      }),
    stuck: (step, reason) =>
      durable(async () => {
        if (!next(marks.stuck)) await mark(marks.stuck, reason);
        if (next(marks.retry)) return;
        log.error({ run: run.id, step: step.name, reason }, 'a saga is stuck and waits for a person');
        await pause(Number.POSITIVE_INFINITY, false);
        await mark(marks.retry, `the undo of ${step.name} is tried again`);
      }),
  };
}

const reasonIn = (letter: Letter | undefined): string =>
  letter && 'value' in letter ? String(letter.value) : 'nobody said why';

/** DBOS tells its life story at `info`; what an operator needs starts at `warn`. */
export const quietLogger = (log: SagaLog) => ({
  info: () => undefined,
  debug: () => undefined,
  warn: (entry: unknown) => log.warn({ engine: 'dbos' }, String(entry)),
  error: (entry: unknown) => log.error({ engine: 'dbos' }, String(entry)),
});

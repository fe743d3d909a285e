import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../kernel/clock.ts';
import type { Beginning, RunAttempt, SagaLog } from '../attempts.ts';
import { interpret } from '../interpreter.ts';
import { cancelTopic } from '../orders.ts';
import type { Letter } from '../standing.ts';
import { openEars } from './ears.ts';
import { openForgetting } from './forget.ts';
import { type Journal, LostRun, makeJournal, type Taken, takenAtOnce } from './journal.ts';
import { openLeases } from './leases.ts';
import { type Mailroom, openMailroom } from './mailroom.ts';
import { openPool } from './pool.ts';
import { Leaving, makeRunEngine, type RunParts } from './run.ts';
import { openStrayWatch } from './strays.ts';

/** The part of the engine that works on runs. A process that only starts, answers and looks has none. */
export interface Worker {
  /** Runs of this lane are worked on here from now on. */
  listen(lane: string): void;
  /** Takes what waits in the lanes of this worker. */
  wake(): Promise<void>;
  /** Begins a run in this process; false when it does not serve the lane, or not any more. */
  begin(lane: string, name: string, beginning: Beginning): Promise<boolean>;
  /** What a run that is worked on here began with. */
  beginningOf(run: string): Beginning | undefined;
  /** A letter was posted from here: if its run sleeps in this process, it need not wait for the news. */
  deliver(run: string, step: string, letter: Letter): void;
  /** Waits for the attempts in work, but not for ever; what is unfinished goes back to its lane. */
  close(withinMs: number): Promise<void>;
}
export interface WorkerConfig {
  readonly url: string;
  /** Stable for a process across its restarts, and different from every other living process. */
  readonly id: string;
  readonly leaseMs: number;
  readonly keepEndedMs: number;
  readonly clock: Clock;
  readonly log: SagaLog;
  readonly runAttempt: RunAttempt;
}

const connections = 12;

export async function openWorker(config: WorkerConfig): Promise<Worker> {
  const { url, id, clock, log, leaseMs } = config;
  const pool = openPool(url, connections, log);
  const journal = makeJournal({ pool, clock, log });
  const mailroom = openMailroom({ records: journal, clock, log });
  const runs = makeRuns(config, journal, mailroom);
  const looking = (work: Promise<unknown>) => {
    work.catch((error: unknown) => log.warn({ error: String(error) }, 'could not look for runs'));
  };
  const hear = (lane: string) => (runs.lanes().includes(lane) ? looking(runs.wake()) : undefined);
  const missed = () => looking(Promise.all([runs.wake(), mailroom.look()]));
  const adopt = async (dead: string) => {
    const count = await journal.giveBack(dead);
    await runs.wake();
    return count;
  };
  const opened: { close(): Promise<void> }[] = [];
  const closeAll = async () => {
    for (const part of opened.reverse()) await part.close();
    await mailroom.close();
    await pool.end();
  };
  try {
    // What a process of this name left behind when it was killed.
    await journal.giveBack(id);
    // Closed last, so that nobody adopts what this process still works on.
    opened.push(await openLeases({ pool, worker: id, leaseMs, clock, log, adopt }));
    opened.push(await openEars({ url, log, hear, ring: mailroom.ring, missed }));
  } catch (error) {
    await closeAll();
    throw error;
  }
  const giveBack = (names: readonly string[]) => journal.giveBack(id, names);
  opened.push(openStrayWatch({ pool, worker: id, everyMs: leaseMs / 3, clock, log, ...runs, giveBack }));
  opened.push(openForgetting({ pool, keepMs: config.keepEndedMs, clock, log }));
  return {
    listen: runs.listen,
    wake: runs.wake,
    begin: runs.begin,
    beginningOf: runs.beginningOf,
    deliver: mailroom.deliver,
    async close(withinMs) {
      await runs.leave(withinMs);
      // When the database is away, the lease runs out and others take the runs.
      await journal.giveBack(id).catch(() => undefined);
      await closeAll();
    },
  };
}

/** A run whose records are beyond repair must not go round for ever. */
const breaksAllowed = 10;

/** The runs of this process: takes them, works on them, and lets go of them when it closes. */
function makeRuns(config: WorkerConfig, journal: Journal, mailroom: Mailroom) {
  const { id, clock, log } = config;
  const lanes = new Set<string>();
  const active = new Map<string, Taken>();
  const broken = new Map<string, number>();
  const leaving = new AbortController();
  const stopping = new AbortController();
  const inFlight = new Set<Promise<unknown>>();
  const parts: RunParts = {
    ...{ journal, mailroom, clock, log, runAttempt: config.runAttempt, inFlight },
    ...{ leaving: leaving.signal, stopping: stopping.signal },
  };

  const workOn = async (run: Taken, isNew: boolean): Promise<void> => {
    active.set(run.name, run);
    const order = new AbortController();
    const watch = mailroom.watch(run.name, cancelTopic, () => order.abort());
    try {
      const recorded = isNew ? [] : await journal.read(run.name);
      if (!isNew && (await journal.letter(run.name, cancelTopic))) order.abort();
      const engine = makeRunEngine(parts, { ...run, recorded, order: order.signal });
      const ending = await interpret(run.beginning.plan, engine);
      await journal.end(run, ending);
      broken.delete(run.name);
    } catch (error) {
      // The present owner of the run goes on with it, or the next one.
      if (error instanceof LostRun || error instanceof Leaving || leaving.signal.aborted) return;
      // It could not be read or written: the watch over stray runs gives it back to its lane.
      const times = (broken.get(run.name) ?? 0) + 1;
      broken.set(run.name, times);
      log.warn({ run: run.name, error: String(error) }, 'a saga was broken off by its engine');
      if (times >= breaksAllowed) await breakOff(run, error);
    } finally {
      watch.close();
      if (active.get(run.name) === run) active.delete(run.name);
    }
  };
  // A run outlives whatever began it: the fence of a lease or the span of a request must not hold for its steps.
  const outside = AsyncLocalStorage.snapshot();
  const startOn = (run: Taken, isNew: boolean): void => {
    outside(workOn, run, isNew).catch((error: unknown) =>
      log.error({ run: run.name, error: String(error) }, 'a saga was lost'),
    );
  };
  const breakOff = async (run: Taken, error: unknown) => {
    broken.delete(run.name);
    await journal
      .breakOff(run, `the engine ended the run: ${String(error)}`)
      .catch((failure: unknown) => log.warn({ run: run.name, error: String(failure) }, 'could not end a broken saga'));
  };

  return {
    listen: (lane: string) => void lanes.add(lane),
    lanes: () => [...lanes],
    active: () => [...active.keys()],
    beginningOf: (run: string) => active.get(run)?.beginning,
    async wake(): Promise<void> {
      for (;;) {
        if (leaving.signal.aborted || lanes.size === 0) return;
        const taken = await journal.take(id, [...lanes]);
        for (const run of taken) startOn(run, false);
        if (taken.length < takenAtOnce) return;
      }
    },
    async begin(lane: string, name: string, beginning: Beginning): Promise<boolean> {
      if (leaving.signal.aborted || !lanes.has(lane)) return false;
      const run = { name, owner: randomUUID(), beginning };
      if (await journal.begin(run, lane, id)) startOn(run, true);
      return true;
    },
    async leave(withinMs: number): Promise<void> {
      leaving.abort(new Leaving());
      const patience = new AbortController();
      const enough = clock.sleep(withinMs, patience.signal).catch(() => undefined);
      await Promise.race([Promise.allSettled(inFlight), enough]);
      patience.abort();
      stopping.abort(new Error('the process is closing'));
    },
  };
}

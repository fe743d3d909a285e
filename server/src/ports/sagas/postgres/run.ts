import type { Clock } from '../../../kernel/clock.ts';
import type { Beginning, RunAttempt, SagaLog } from '../attempts.ts';
import type { Answered, Engine, PlannedStep, Results, Tried, Work } from '../interpreter.ts';
import { cancelTopic, retryTopic } from '../orders.ts';
import { type Letter, marks, type Recorded } from '../standing.ts';
import type { Journal, Owned } from './journal.ts';
import type { Mailbox, Mailroom } from './mailroom.ts';

/** The worker is closing: the run stops here, in this process, and another worker goes on with it. */
export class Leaving extends Error {
  override readonly name = 'Leaving';
}

export interface RunParts {
  readonly journal: Journal;
  readonly mailroom: Mailroom;
  readonly clock: Clock;
  readonly log: SagaLog;
  readonly runAttempt: RunAttempt;
  /** Aborted when the worker begins to close: what sleeps stops there. */
  readonly leaving: AbortSignal;
  /** Aborted when the worker has waited long enough for attempts in work. */
  readonly stopping: AbortSignal;
  /** Attempts in work, which a closing worker waits for. */
  readonly inFlight: Set<Promise<unknown>>;
}
export interface ActiveRun extends Owned {
  readonly beginning: Beginning;
  readonly recorded: readonly Recorded[];
  /** Aborted when a person calls the run off. */
  readonly order: AbortSignal;
}

/** What the interpreter needs of an engine, for one run: the records of before, then attempts, pauses and letters. */
export function makeRunEngine(parts: RunParts, run: ActiveRun): Engine {
  const { journal, mailroom, leaving } = parts;
  const boxes = new Map<string, Mailbox>();
  const log = makeRunLog(parts, run);
  const closeBox = (step: PlannedStep) => {
    boxes.get(step.name)?.close();
    boxes.delete(step.name);
  };
  /** Does one of the engine's works, unless the worker is closing. */
  const durable = async <T>(work: () => Promise<T>): Promise<T> => {
    if (leaving.aborted) throw new Leaving();
    try {
      return await work();
    } catch (error) {
      throw leaving.aborted ? new Leaving() : error;
    }
  };
  /** Until a person wants it tried, or this time has come. */
  const pause = async (untilMs: number, isCallable: boolean) => {
    if (untilMs <= parts.clock.now().getTime()) return;
    const box = mailroom.open(run.name, retryTopic(log.place()), false);
    await letterUnlessCalledOff(parts, run, box, untilMs, isCallable).finally(box.close);
  };
  return {
    // Readers derive it from the records.
    at: async () => undefined,
    attempt: (work, step, done) =>
      durable(() => {
        // Opened before anybody could answer, so that it need not be looked into unless it rings.
        const opens = work === 'ask' && !log.isReplaying() && !boxes.has(step.name);
        if (opens) boxes.set(step.name, mailroom.open(run.name, step.name, true));
        const recorded = log.attempt(work, step, done);
        parts.inFlight.add(recorded);
        recorded.finally(() => parts.inFlight.delete(recorded)).catch(() => undefined);
        return recorded;
      }),
    sleep: (ms, work) =>
      durable(async () => (log.isReplaying() ? undefined : pause(log.lastMs() + ms, work !== 'undo'))),
    answer: (step) =>
      durable(async () => {
        const box = boxes.get(step.name) ?? mailroom.open(run.name, step.name, false);
        boxes.set(step.name, box);
        try {
          const untilMs = log.lastMs() + (step.timeoutMs ?? 0);
          const letter = await letterUnlessCalledOff(parts, run, box, untilMs, true);
          log.suspect();
          return answeredBy(letter ?? (await closeWait(journal, run, step)));
        } finally {
          closeBox(step);
        }
      }),
    refuse: (step) =>
      durable(async () => {
        closeBox(step);
        await journal.post(run.name, step.name, { late: true }, true);
      }),
    calledOff: () => durable(() => log.calledOff()),
    stuck: (step, reason) =>
      durable(async () => {
        if (!log.next(marks.stuck)) await log.mark(marks.stuck, reason);
        if (log.next(marks.retry)) return;
        parts.log.error({ run: run.name, step: step.name, reason }, 'a saga is stuck and waits for a person');
        await pause(Number.POSITIVE_INFINITY, false);
        await log.mark(marks.retry, `the undo of ${step.name} is tried again`);
      }),
  };
}

/** Goes through the records of a run, and adds to them where they end. */
function makeRunLog({ journal, clock, runAttempt, stopping }: RunParts, run: ActiveRun) {
  let place = 0;
  let lastMs = clock.now().getTime();
  let calledOff: string | undefined;
  const isReplaying = () => run.recorded[place] !== undefined;
  const next = (name: string): Recorded | undefined => {
    const earlier = run.recorded[place];
    if (earlier?.name !== name) return undefined;
    place += 1;
    lastMs = earlier.atMs;
    return earlier;
  };
  /** There may be a letter that calls the run off: the last record saw it, or time has passed since the record. */
  let isSuspected = false;
  const add = async (name: string, tried: Tried, beganMs: number) => {
    const added = await journal.add(run, place, { name, tried, beganMs });
    lastMs = added.atMs;
    isSuspected = added.isCalledOff;
    place += 1;
  };
  const mark = (name: string, reason: string) => add(name, { end: 'halt', reason }, clock.now().getTime());
  return {
    isReplaying,
    next,
    mark,
    place: () => place,
    /** Time has passed in a wait: a person may have called the run off. */
    suspect: () => {
      isSuspected = true;
    },
    /** When the record before this place ended: pauses and deadlines count from there. */
    lastMs: () => lastMs,
    async attempt(work: Work, step: PlannedStep, done: Results): Promise<Tried> {
      const name = `${work} ${step.name}`;
      const earlier = next(name);
      if (earlier) return earlier.tried;
      if (isReplaying()) {
        throw new Error(`${run.name} went another way before: ${run.recorded[place]?.name}, not ${name}`);
      }
      const beganMs = clock.now().getTime();
      const given = { beginning: run.beginning, work, step, done, calledOff: calledOff !== undefined };
      const tried = await runAttempt(given, stopping);
      // A failure that our own closing caused is not the step's; it runs again after the restart.
      if (stopping.aborted && tried.end === 'failed') throw new Leaving();
      await add(name, tried, beganMs);
      return tried;
    },
    async calledOff(): Promise<string | undefined> {
      const earlier = next(marks.cancel)?.tried;
      if (earlier?.end === 'halt') calledOff = earlier.reason;
      if (calledOff !== undefined || isReplaying()) return calledOff;
      // The wake-up may come later than the end of the step during which the run was called off, so each record looks for
      // the letter itself.
      const letter = isSuspected || run.order.aborted ? await journal.letter(run.name, cancelTopic) : undefined;
      if (!letter) return undefined;
      const reason = 'value' in letter ? String(letter.value) : 'nobody said why';
      await mark(marks.cancel, reason);
      calledOff = reason;
      return calledOff;
    },
  };
}

/** Waits for a letter, unless the run is called off: then there is none. */
async function letterUnlessCalledOff(
  { leaving }: Pick<RunParts, 'leaving'>,
  { order }: Pick<ActiveRun, 'order'>,
  box: Mailbox,
  untilMs: number,
  isCallable: boolean,
): Promise<Letter | undefined> {
  if (!isCallable) return box.letterBefore(untilMs, leaving);
  try {
    return await box.letterBefore(untilMs, AbortSignal.any([leaving, order]));
  } catch (error) {
    if (leaving.aborted || !order.aborted) throw error;
    return undefined;
  }
}

/** Closing a mailbox is a letter too: if an answer slipped in before it, that one counts. */
async function closeWait(journal: Journal, run: Owned, step: PlannedStep): Promise<Letter | undefined> {
  await journal.post(run.name, step.name, { late: true }, true);
  return journal.letter(run.name, step.name);
}

const answeredBy = (letter: Letter | undefined): Answered =>
  letter && 'value' in letter ? { end: 'answered', value: letter.value } : { end: 'late' };

import { condition, defineSignal, proxyActivities, setHandler, upsertMemo } from '@temporalio/workflow';
import type { Attempt, Beginning } from '../attempts.ts';
import { type Ending, type Engine, interpret, type Tried } from '../interpreter.ts';
import { calledOffNote, closedNote, type StuckNote, stuckNote } from './names.ts';

/**
 * The one workflow that Temporal knows: it runs the interpreter over whatever plan the run began with. It is bundled
 * into Temporal's sandbox, so its only imports with code are Temporal's own and the interpreter.
 *
 * What readers need is kept in the memo, because a memo can be read while no worker is alive. The
 * order of events in the history decides between an answer and the end of its time: Temporal writes a signal that
 * arrives during our turn after everything that the turn decided, so an answer stands before the note that its wait is
 * closed exactly when this code saw it in time.
 */
export interface Settings {
  /** Where this version's steps are carried out. */
  readonly lane: string;
  /** How long a silent worker is believed to be alive. */
  readonly leaseMs: number;
}

const answerSignal = defineSignal<[step: string, by: string, value: unknown]>('answer');

const cancelSignal = defineSignal<[by: string, reason: string]>('cancel');
const retrySignal = defineSignal<[by: string, reason: string]>('retry');

/** Time for a worker to report what it has done, on top of what the attempt itself may take. */
const reportMs = 10_000;

export async function saga(beginning: Beginning, settings: Settings): Promise<Ending> {
  const answers = new Map<string, unknown>();
  setHandler(answerSignal, (step, _by, value) => {
    if (!answers.has(step)) answers.set(step, value);
  });
  /** What a person wants, and what this code has come to. */
  let wanted: string | undefined;
  let calledOff: string | undefined;
  let nudges = 0;
  setHandler(cancelSignal, (_by, reason) => {
    wanted ??= reason;
  });
  setHandler(retrySignal, () => {
    nudges += 1;
  });
  /** A word that was said before the pause began concerned another one. */
  const nudged = () => {
    const before = nudges;
    return () => nudges > before;
  };
  const engine: Engine = {
    async at(step) {
      upsertMemo({ at: step });
    },
    attempt(work, step, done) {
      // Steps fail by answering so. What Temporal itself sees failing is a lost worker, and then it tries for ever.
      const activities = proxyActivities<{ attempt(given: Attempt): Promise<Tried> }>({
        taskQueue: settings.lane,
        startToCloseTimeout: step.attemptMs + reportMs,
        heartbeatTimeout: settings.leaseMs,
        retry: { initialInterval: 100, maximumInterval: 10_000 },
      });
      return activities.attempt({ beginning, work, step, done, ...(calledOff !== undefined && { calledOff: true }) });
    },
    async sleep(ms, work) {
      const isNudged = nudged();
      // A time of nothing would be taken for no end.
      await condition(() => isNudged() || (work !== 'undo' && wanted !== undefined), Math.max(ms, 1));
    },
    async answer(step) {
      await condition(() => answers.has(step.name) || wanted !== undefined, Math.max(step.timeoutMs ?? 0, 1));
      if (answers.has(step.name)) return { end: 'answered', value: answers.get(step.name) };
      upsertMemo({ [closedNote(step.name)]: true });
      return { end: 'late' };
    },
    async refuse(step) {
      upsertMemo({ [closedNote(step.name)]: true });
    },
    async calledOff() {
      if (calledOff === undefined && wanted !== undefined) {
        calledOff = wanted;
        upsertMemo({ [calledOffNote]: calledOff });
      }
      return calledOff;
    },
    async stuck(step, reason) {
      const note: StuckNote = { step: step.name, reason };
      const isNudged = nudged();
      upsertMemo({ [stuckNote]: note });
      await condition(isNudged);
      upsertMemo({ [stuckNote]: undefined });
    },
  };
  const ending = await interpret(beginning.plan, engine);
  upsertMemo({ ending });
  return ending;
}

import { condition, defineSignal, proxyActivities, setHandler, sleep, upsertMemo } from '@temporalio/workflow';
import type { Attempt, Beginning } from './attempts.ts';
import { type Ending, type Engine, interpret, type Tried } from './interpreter.ts';
import { closedNote } from './temporal-names.ts';

/**
 * The one workflow that Temporal knows: it runs the interpreter over whatever plan the run began with. It is bundled
 * into Temporal's sandbox, so its only imports with code are Temporal's own and the interpreter.
 *
 * What somebody outside may want to see is kept in the memo, since a memo can be read while no worker is alive. The
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

/** Time for a worker to report what it has done, on top of what the attempt itself may take. */
const reportMs = 10_000;

export async function saga(beginning: Beginning, settings: Settings): Promise<Ending> {
  const answers = new Map<string, unknown>();
  setHandler(answerSignal, (step, _by, value) => {
    if (!answers.has(step)) answers.set(step, value);
  });
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
      return activities.attempt({ beginning, work, step, done });
    },
    sleep: (ms) => sleep(ms),
    async answer(step) {
      const came = await condition(() => answers.has(step.name), step.timeoutMs ?? 0);
      if (came) return { end: 'answered', value: answers.get(step.name) };
      upsertMemo({ [closedNote(step.name)]: true });
      return { end: 'late' };
    },
    async refuse(step) {
      upsertMemo({ [closedNote(step.name)]: true });
    },
  };
  const ending = await interpret(beginning.plan, engine);
  upsertMemo({ ending });
  return ending;
}

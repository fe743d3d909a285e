import { type Engine, interpret, type Plan, type PlannedStep, type Tried, type Work } from './interpreter.ts';
import { retryTopic } from './orders.ts';

/** One thing that is written down about a run, whichever engine wrote it. */
export interface Recorded {
  /** What was tried: `do lease`, `ask boot`, `undo lease`; or that something came to be: `cancel`, `stuck`, `retry`. */
  readonly name: string;
  readonly tried: Tried;
  /** When it ended. Pauses and deadlines count from here, so that neither needs a record of its own. */
  readonly atMs: number;
}
/** What stands in a wait's mailbox: an answer, or that it is closed. The first letter counts, and it stays. */
export type Letter = { readonly by: string; readonly value: unknown } | { readonly late: true };

/** The records that no attempt left. */
export const marks = { cancel: 'cancel', stuck: 'stuck', retry: 'retry' } as const;
/** What was tried, of a record that an attempt left. */
export function workOf({ name }: Pick<Recorded, 'name'>): { readonly work: Work; readonly step: string } | undefined {
  if (name in marks) return undefined;
  const cut = name.indexOf(' ');
  return { work: name.slice(0, cut) as Work, step: name.slice(cut + 1) };
}

export interface Standing {
  readonly step: string | undefined;
  /** `queued`: nobody has begun. `pausing` lasts until then, and from then on it is being tried. */
  readonly doing: 'queued' | 'working' | 'pausing' | 'waiting' | 'stuck';
  readonly untilMs: number | undefined;
  readonly isUndoing: boolean;
  /** Nothing follows the step on the way forward. */
  readonly isLast: boolean;
  /** Why the run was called off, once it has come to that. */
  readonly calledOff: string | undefined;
  /** Why it is stuck. */
  readonly reason: string | undefined;
  /** How many records lie behind it. */
  readonly place: number;
}

/** The records are at their end. */
class Here extends Error {}

/**
 * The position of a run, derived from its records: the interpreter replays them in memory, and stops where they stop.
 * So no run has to announce its steps, and only a reader pays for it.
 */
export async function standingOf(
  plan: Plan,
  records: readonly Recorded[],
  letters: ReadonlyMap<string, Letter>,
): Promise<Standing> {
  const last = plan.steps.findLast(({ kind }) => kind !== 'failure')?.name;
  let at: string | undefined;
  let isUndoing = false;
  let calledOff: string | undefined;
  let place = 0;
  let doing: Standing['doing'] = 'working';
  let untilMs: number | undefined;
  let reason: string | undefined;
  const stop = (here: Pick<Standing, 'doing'> & { readonly untilMs?: number; readonly reason?: string }): never => {
    ({ doing, untilMs, reason } = { untilMs: undefined, reason: undefined, ...here });
    throw new Here();
  };
  const lastMs = () => records[place - 1]?.atMs ?? 0;
  const isHere = () => place === records.length;
  const take = (mark: string): Recorded | undefined => {
    if (records[place]?.name !== mark) return undefined;
    place += 1;
    return records[place - 1];
  };
  const engine: Engine = {
    async at(step) {
      at = step;
    },
    async attempt(work) {
      isUndoing = work === 'undo';
      if (isHere()) stop({ doing: 'working' });
      place += 1;
      return (records[place - 1] as Recorded).tried;
    },
    async sleep(ms) {
      if (!isHere()) return;
      if (letters.has(retryTopic(place))) stop({ doing: 'working' });
      stop({ doing: 'pausing', untilMs: lastMs() + ms });
    },
    async answer(step: PlannedStep) {
      const letter = letters.get(step.name);
      // An answer that nobody has acted on yet lies in the mailbox, and the run is where it waits for it.
      if (!letter || ('value' in letter && isHere())) {
        return stop({ doing: 'waiting', untilMs: lastMs() + (step.timeoutMs ?? 0) });
      }
      return 'late' in letter ? { end: 'late' } : { end: 'answered', value: letter.value };
    },
    refuse: async () => undefined,
    async calledOff() {
      const mark = take(marks.cancel);
      if (mark && mark.tried.end === 'halt') calledOff = mark.tried.reason;
      return calledOff;
    },
    async stuck(_step, why) {
      take(marks.stuck);
      if (!take(marks.retry))
        stop(letters.has(retryTopic(place)) ? { doing: 'working' } : { doing: 'stuck', reason: why });
    },
  };
  await interpret(plan, engine).catch((error: unknown) => {
    if (!(error instanceof Here)) throw error;
  });
  return { step: at, doing, untilMs, isUndoing, isLast: at === last, calledOff, reason, place };
}

/**
 * How every saga runs, whichever engine carries it.
 *
 * The steps go forward one by one. A step that returned a `Halt`, that failed as often as it may, or whose answer did
 * not come in time, ends the way forward; then the undos of the steps that were completed run in reverse, each with
 * the same patience. An undo that gives up stops everything: the ones before it may rely on it, so the run is `stuck`
 * and waits for a person, who has it tried again.
 *
 * A person may also call a run off. It is asked for between two works, never within one: what is done is done and gets
 * its undo, what was only asked gets no answer any more. From there the way back is the same as after a failure.
 *
 * The engine underneath only has to remember. Each of its promises is recorded when it settles, and a run that is
 * picked up again by another process gets the recorded results in the same order without repeating the work. So this
 * file must be deterministic: no clock, no randomness, no I/O and no import that has any of them. Temporal runs it
 * inside its sandbox, our engine on PostgreSQL in the worker, and tests in memory.
 */

export interface PlannedStep {
  readonly name: string;
  /** One that is only there for its undo is passed on the way forward. */
  readonly kind: 'step' | 'wait' | 'failure';
  readonly undoes: boolean;
  readonly attempts: number;
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
  readonly attemptMs: number;
  /** Only of a wait. */
  readonly timeoutMs?: number;
  /** Only of a wait: the JSON Schema of its answer, so that a process without the saga can check one. */
  readonly answer?: object;
}
/** A saga without its functions. It travels with the run, so that the run keeps the version it began with. */
export interface Plan {
  readonly saga: string;
  readonly version: number;
  readonly steps: readonly PlannedStep[];
}

export type Work = 'do' | 'ask' | 'undo';
export type Tried =
  | { readonly end: 'ok'; readonly out: unknown }
  | { readonly end: 'halt'; readonly reason: string }
  | { readonly end: 'failed'; readonly reason: string };
export type Answered = { readonly end: 'answered'; readonly value: unknown } | { readonly end: 'late' };
export type Results = Readonly<Record<string, unknown>>;

export interface Engine {
  /** Announces the position of the run, for readers. */
  at(step: string): Promise<void>;
  /** One attempt. It never rejects because the step failed, only because the engine did. */
  attempt(work: Work, step: PlannedStep, done: Results): Promise<Tried>;
  /** Sleeps this long, or until a person wants the work tried now, or has called the run off on its way forward. */
  sleep(ms: number, work: Work): Promise<void>;
  /**
   * Sleeps until the wait is answered, its time is up or the run was called off; after that no answer is accepted any
   * more.
   */
  answer(step: PlannedStep): Promise<Answered>;
  /** No answer is wanted any more, since the asking failed. */
  refuse(step: PlannedStep): Promise<void>;
  /** Why an operator cancelled the run; undefined otherwise. Once read as cancelled, it stays cancelled. */
  calledOff(): Promise<string | undefined>;
  /** An undo gave up. Sleeps until a person wants it tried again. */
  stuck(step: PlannedStep, reason: string): Promise<void>;
}

export interface Ending {
  readonly state: 'done' | 'undone' | 'cancelled';
  readonly step: string | undefined;
  readonly reason: string | undefined;
}

export async function interpret(plan: Plan, engine: Engine): Promise<Ending> {
  const done: Record<string, unknown> = {};
  const completed: PlannedStep[] = [];
  for (const step of plan.steps) {
    if (step.kind === 'failure') {
      completed.push(step);
      continue;
    }
    const asked = await engine.calledOff();
    if (asked !== undefined) return backward(completed, engine, done, ending('cancelled', step, asked));
    await engine.at(step.name);
    const tried = await forward(step, engine, done);
    if (tried.end !== 'ok') {
      const why = await engine.calledOff();
      const cause = why === undefined ? ending('undone', step, tried.reason) : ending('cancelled', step, why);
      return backward(completed, engine, done, cause);
    }
    done[step.name] = tried.out;
    completed.push(step);
  }
  return { state: 'done', step: plan.steps.at(-1)?.name, reason: undefined };
}

interface Cause extends Ending {
  readonly state: 'undone' | 'cancelled';
  readonly reason: string;
}
const ending = (state: Cause['state'], { name }: PlannedStep, reason: string): Cause => ({ state, step: name, reason });

async function forward(step: PlannedStep, engine: Engine, done: Results): Promise<Tried> {
  if (step.kind === 'step') return persist('do', step, engine, done);
  const asked = await persist('ask', step, engine, done);
  if (asked.end !== 'ok') {
    await engine.refuse(step);
    return asked;
  }
  const answered = await engine.answer(step);
  return answered.end === 'answered'
    ? { end: 'ok', out: answered.value }
    : { end: 'failed', reason: `no answer within ${step.timeoutMs} ms` };
}

async function backward(
  completed: readonly PlannedStep[],
  engine: Engine,
  done: Record<string, unknown>,
  cause: Cause,
): Promise<Ending> {
  const because =
    cause.state === 'cancelled' ? `it was called off: ${cause.reason}` : `${cause.step} failed: ${cause.reason}`;
  for (const step of [...completed].reverse()) {
    if (!step.undoes) continue;
    await engine.at(step.name);
    for (;;) {
      const tried = await persist('undo', step, engine, done);
      if (tried.end === 'ok') break;
      await engine.stuck(step, `the undo of ${step.name} gave up: ${tried.reason}; it was undone because ${because}`);
    }
  }
  return cause;
}

async function persist(work: Work, step: PlannedStep, engine: Engine, done: Results): Promise<Tried> {
  for (let attempt = 1; ; attempt++) {
    const tried = await engine.attempt(work, step, { ...done });
    if (tried.end !== 'failed' || attempt >= step.attempts) return tried;
    await engine.sleep(backoffMs(step, attempt), work);
    if (work !== 'undo' && (await engine.calledOff()) !== undefined) return tried;
  }
}

/** The pause after the given attempt: doubled each time, up to the step's limit. */
export const backoffMs = (step: Pick<PlannedStep, 'firstDelayMs' | 'maxDelayMs'>, attempt: number): number =>
  Math.min(step.maxDelayMs, step.firstDelayMs * 2 ** (attempt - 1));

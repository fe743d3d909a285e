/**
 * How every saga runs, whichever engine carries it.
 *
 * The steps go forward one by one. A step that returned a `Halt`, that failed as often as it may, or whose answer did
 * not come in time, ends the way forward; then the undos of the steps that were completed run in reverse, each with
 * the same patience. An undo that gives up stops everything: the ones before it may rely on it, so the run is `stuck`
 * and waits for a person.
 *
 * The engine underneath only has to remember. Each of its promises is recorded when it settles, and a run that is
 * picked up again by another process gets the recorded results in the same order without repeating the work. So this
 * file must be deterministic: no clock, no randomness, no I/O and no import that has any of them. Temporal runs it
 * inside its sandbox, DBOS inside a workflow function, and tests in memory.
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
  /** Announces where the run is, for whoever looks. */
  at(step: string): Promise<void>;
  /** One attempt. It never rejects because the step failed, only because the engine did. */
  attempt(work: Work, step: PlannedStep, done: Results): Promise<Tried>;
  sleep(ms: number): Promise<void>;
  /** Sleeps until the wait is answered or its time is up; after that no answer is accepted any more. */
  answer(step: PlannedStep): Promise<Answered>;
  /** No answer is wanted any more, since the asking failed. */
  refuse(step: PlannedStep): Promise<void>;
}

export interface Ending {
  readonly state: 'done' | 'undone' | 'stuck';
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
    await engine.at(step.name);
    const tried = await forward(step, engine, done);
    if (tried.end !== 'ok') return backward(completed, engine, done, { step: step.name, reason: tried.reason });
    done[step.name] = tried.out;
    completed.push(step);
  }
  return { state: 'done', step: plan.steps.at(-1)?.name, reason: undefined };
}

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
  cause: { readonly step: string; readonly reason: string },
): Promise<Ending> {
  for (const step of [...completed].reverse()) {
    if (!step.undoes) continue;
    await engine.at(step.name);
    const tried = await persist('undo', step, engine, done);
    if (tried.end !== 'ok') {
      const reason = `the undo of ${step.name} gave up: ${tried.reason}; it was undone because ${cause.step} failed: ${cause.reason}`;
      return { state: 'stuck', step: step.name, reason };
    }
  }
  return { state: 'undone', step: cause.step, reason: cause.reason };
}

async function persist(work: Work, step: PlannedStep, engine: Engine, done: Results): Promise<Tried> {
  for (let attempt = 1; ; attempt++) {
    const tried = await engine.attempt(work, step, { ...done });
    if (tried.end !== 'failed' || attempt >= step.attempts) return tried;
    await engine.sleep(backoffMs(step, attempt));
  }
}

/** The pause after the given attempt: doubled each time, up to the step's limit. */
export const backoffMs = (step: Pick<PlannedStep, 'firstDelayMs' | 'maxDelayMs'>, attempt: number): number =>
  Math.min(step.maxDelayMs, step.firstDelayMs * 2 ** (attempt - 1));

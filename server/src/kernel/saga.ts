import type { Static, TSchema } from 'typebox';
import type { Act } from './act.ts';

export interface StepContext<P, Done> {
  /** A fresh act for each attempt, named after saga and step: a step may write once. */
  readonly act: Act;
  readonly params: P;
  readonly done: Done;
  /** Aborted when the attempt's time is up or the process is closing. Hand it to whatever the step waits for. */
  readonly signal: AbortSignal;
  /** True in an undo that a person asked for: nothing failed. */
  readonly calledOff: boolean;
}
/** A function, or a sentence that says why there is nothing to undo. */
export type Undo<P, Done, Out> =
  | ((context: StepContext<P, Done>, out: Out) => Promise<void>)
  | { readonly none: string };

export interface Retry {
  /** How many times in all, the first one included. */
  readonly attempts: number;
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
}
/** What a step gets that does not say otherwise: about half a minute of patience in all. */
export const defaultRetry: Retry = { attempts: 6, firstDelayMs: 1_000, maxDelayMs: 30_000 };
export const defaultAttemptMs = 60_000;

/** Runs at least once; must be harmless when run twice. Throws to be tried again; returns a `Halt` to give up now. */
export interface Step<P, Done, Out> {
  readonly do: (context: StepContext<P, Done>) => Promise<Out | Halt>;
  readonly undo: Undo<P, Done, Out>;
  readonly retry?: Retry;
  /** How long one attempt may take; then it counts as failed, though its code may still be running. */
  readonly attemptMs?: number;
}
/**
 * Asks something outside (a node task, an approval) and sleeps until the token is answered or the time is over. There
 * is no polling.
 */
export interface Wait<P, Done, S extends TSchema> {
  /** A `Halt` means that asking again is pointless; any other answer is ignored. */
  readonly ask: (context: StepContext<P, Done>, token: string) => Promise<unknown>;
  readonly answer: S;
  /** From the moment that `ask` returned. */
  readonly timeoutMs: number;
  readonly undo: Undo<P, Done, Static<S>>;
  readonly retry?: Retry;
  readonly attemptMs?: number;
}

/**
 * Runs only when a later step fails, the next one included. On the way forward nothing is done or recorded, so it costs
 * nothing. `done` holds the outcomes of the later steps.
 */
export interface OnFailure<P> {
  readonly undo: (context: StepContext<P, Readonly<Record<string, unknown>>>) => Promise<void>;
}

/** An expected failure inside a saga: no more tries, undo what was done, end as `undone` with this reason. */
export class Halt {
  readonly reason: string;
  constructor(reason: string) {
    this.reason = reason;
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a saga's list of steps holds steps of every type; `step` and `wait` keep the precise ones
export type AnyStep<P> = { readonly kind: 'step'; readonly name: string; readonly step: Step<P, any, any> };
// biome-ignore lint/suspicious/noExplicitAny: see above
export type AnyWait<P> = { readonly kind: 'wait'; readonly name: string; readonly wait: Wait<P, any, any> };

export type AnyOnFailure<P> = { readonly kind: 'failure'; readonly name: string; readonly failure: OnFailure<P> };
export type SagaEntry<P> = AnyStep<P> | AnyWait<P> | AnyOnFailure<P>;

export interface Saga<P, Done = unknown> {
  readonly name: string;
  readonly version: number;
  readonly steps: readonly SagaEntry<P>[];
  onFailure(name: string, failure: OnFailure<P>): Saga<P, Done>;
  step<N extends string, Out>(
    name: N extends keyof Done ? never : N,
    step: Step<P, Done, Out>,
  ): Saga<P, Done & Record<N, Out>>;
  wait<N extends string, S extends TSchema>(
    name: N extends keyof Done ? never : N,
    wait: Wait<P, Done, S>,
  ): Saga<P, Done & Record<N, Static<S>>>;
}

/** Names become parts of queue names and of run ids, so they stay within what every engine accepts. */
const plain = /^[a-z][a-z0-9_.-]{0,63}$/;

/** A saga is data: named steps, each with its undo. Drivers interpret it; nothing in it knows which engine runs. */
export function defineSaga<P>(name: string, version: number): Saga<P, Record<never, never>> {
  if (!plain.test(name)) throw new Error(`"${name}" is no name for a saga`);
  if (!Number.isInteger(version) || version < 1) throw new Error(`saga ${name}: versions count from 1`);
  // biome-ignore lint/suspicious/noExplicitAny: the builder is typed by its interface, not by its body
  const make = (steps: Saga<P, any>['steps']): Saga<P, any> => {
    const add = (next: SagaEntry<P>) => {
      if (!plain.test(next.name)) throw new Error(`saga ${name}: "${next.name}" is no name for a step`);
      if (steps.some((step) => step.name === next.name)) throw new Error(`saga ${name} has ${next.name} twice`);
      return make([...steps, next]);
    };
    return {
      name,
      version,
      steps,
      onFailure: (stepName, failure) => add({ kind: 'failure', name: stepName, failure }),
      // biome-ignore lint/suspicious/noExplicitAny: see above
      step: (stepName: string, step: Step<P, any, any>) => add({ kind: 'step', name: stepName, step }),
      // biome-ignore lint/suspicious/noExplicitAny: see above
      wait: (stepName: string, wait: Wait<P, any, any>) => add({ kind: 'wait', name: stepName, wait }),
    };
  };
  return make([]);
}

/** What every entry of a saga has, whatever it does on the way forward. */
export function bodyOf<P>(
  entry: SagaEntry<P>,
): Pick<AnyStep<P>['step'], 'undo'> & { readonly retry?: Retry; readonly attemptMs?: number } {
  if (entry.kind === 'step') return entry.step;
  return entry.kind === 'wait' ? entry.wait : entry.failure;
}

/** One line of a saga's compensation matrix. */
export interface SagaRow {
  readonly step: string;
  readonly kind: SagaEntry<never>['kind'];
  /** How long the run may sleep here for an answer; `undefined` when the step does not wait. */
  readonly waitsMs: number | undefined;
  readonly retry: Retry;
  readonly attemptMs: number;
  /** `undone`, or the sentence that says why there is nothing to undo. */
  readonly undo: { readonly kind: 'undone' } | { readonly kind: 'none'; readonly why: string };
}

/** What a page about a saga needs to know: what each step tries, waits for and takes back. */
export const describeSaga = (saga: Pick<Saga<never>, 'steps'>): SagaRow[] =>
  saga.steps.map((entry) => {
    const body = bodyOf(entry);
    return {
      step: entry.name,
      kind: entry.kind,
      waitsMs: entry.kind === 'wait' ? entry.wait.timeoutMs : undefined,
      retry: body.retry ?? defaultRetry,
      attemptMs: body.attemptMs ?? defaultAttemptMs,
      undo: typeof body.undo === 'function' ? { kind: 'undone' } : { kind: 'none', why: body.undo.none },
    };
  });

import type { Static, TSchema } from 'typebox';
import type { Act } from './act.ts';

export interface StepContext<P, Done> {
  /** A fresh act for each attempt, named after saga and step: a step may write once. */
  readonly act: Act;
  readonly params: P;
  readonly done: Done;
}
/** A function, or a sentence that says why there is nothing to undo. */
export type Undo<P, Done, Out> =
  | ((context: StepContext<P, Done>, out: Out) => Promise<void>)
  | { readonly none: string };

export interface Retry {
  readonly attempts: number;
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
}

/** Runs at least once; must be harmless when run twice. Throws to be tried again; returns a `Halt` to give up now. */
export interface Step<P, Done, Out> {
  readonly do: (context: StepContext<P, Done>) => Promise<Out | Halt>;
  readonly undo: Undo<P, Done, Out>;
  readonly retry?: Retry;
}
/** Asks something outside (a node task, an approval) and sleeps until the token is answered or time is up. Nobody polls. */
export interface Wait<P, Done, S extends TSchema> {
  readonly ask: (context: StepContext<P, Done>, token: string) => Promise<void>;
  readonly answer: S;
  readonly timeoutMs: number;
  readonly undo: Undo<P, Done, Static<S>>;
  readonly retry?: Retry;
}

/** An expected failure inside a saga: no more tries, undo what was done, end as `undone` with this reason. */
export class Halt {
  readonly reason: string;
  constructor(reason: string) {
    this.reason = reason;
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a saga's list of steps holds steps of every type; `step` and `wait` keep the precise ones
type AnyStep<P> = { readonly kind: 'step'; readonly name: string; readonly step: Step<P, any, any> };
// biome-ignore lint/suspicious/noExplicitAny: see above
type AnyWait<P> = { readonly kind: 'wait'; readonly name: string; readonly wait: Wait<P, any, any> };

export interface Saga<P, Done = unknown> {
  readonly name: string;
  readonly version: number;
  readonly steps: readonly (AnyStep<P> | AnyWait<P>)[];
  step<N extends string, Out>(
    name: N extends keyof Done ? never : N,
    step: Step<P, Done, Out>,
  ): Saga<P, Done & Record<N, Out>>;
  wait<N extends string, S extends TSchema>(
    name: N extends keyof Done ? never : N,
    wait: Wait<P, Done, S>,
  ): Saga<P, Done & Record<N, Static<S>>>;
}

/** A saga is data: named steps, each with its undo. Drivers interpret it; nothing in it knows which engine runs. */
export function defineSaga<P>(name: string, version: number): Saga<P, Record<never, never>> {
  // biome-ignore lint/suspicious/noExplicitAny: the builder is typed by its interface, not by its body
  const make = (steps: Saga<P, any>['steps']): Saga<P, any> => ({
    name,
    version,
    steps,
    // biome-ignore lint/suspicious/noExplicitAny: see above
    step: (stepName: string, step: Step<P, any, any>) => make([...steps, { kind: 'step', name: stepName, step }]),
    // biome-ignore lint/suspicious/noExplicitAny: see above
    wait: (stepName: string, wait: Wait<P, any, any>) => make([...steps, { kind: 'wait', name: stepName, wait }]),
  });
  return make([]);
}

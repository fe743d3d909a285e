type States = Readonly<Record<string, Readonly<Record<string, string>>>>;
type Targets<S extends States> = { [K in keyof S]: S[K][keyof S[K]] }[keyof S];

export type Transition<S extends States> = { [K in keyof S]: keyof S[K] }[keyof S] & string;
/** The states a transition may leave from. */
export type From<S extends States, T extends string> = { [K in keyof S]: T extends keyof S[K] ? K : never }[keyof S];

/** The plain data of a machine, for everything that walks tables: emitters, the database guard, tests of every cell. */
export interface MachineTable {
  readonly name: string;
  readonly states: States;
  readonly initial: string;
  readonly terminal: readonly string[];
}

export interface Machine<S extends States> extends MachineTable {
  readonly states: S;
  readonly initial: keyof S & string;
  readonly terminal: readonly (keyof S & string)[];
  next(from: keyof S & string, transition: Transition<S>): (keyof S & string) | undefined;
  may(transition: Transition<S>, from: keyof S & string): boolean;
}

/** A state machine is a table: for each state, the transitions that leave it and where they lead. */
export function defineMachine<const S extends States>(spec: {
  readonly name: string;
  readonly initial: NoInfer<keyof S & string>;
  readonly terminal: readonly NoInfer<keyof S & string>[];
  readonly states: S &
    (Targets<S> extends keyof S
      ? unknown
      : { 'a transition leads to no declared state': Exclude<Targets<S>, keyof S> });
}): Machine<S> {
  // Own properties only: a word like toString names no transition.
  const next: Machine<S>['next'] = (from, transition) => {
    const out = Object.hasOwn(spec.states, from) ? (spec.states as States)[from] : undefined;
    return out && Object.hasOwn(out, transition) ? out[transition] : undefined;
  };
  return { ...spec, states: spec.states as S, next, may: (transition, from) => next(from, transition) !== undefined };
}
export type StatesOf<M> = M extends Machine<infer S> ? S : never;

/** Every edge once, for the table that the database's own guard reads. */
export const edges = (machine: MachineTable): { from: string; to: string; transition: string }[] =>
  Object.entries(machine.states).flatMap(([from, out]) =>
    Object.entries(out).map(([transition, to]) => ({ from, to, transition })),
  );

import type { Saga } from '../../kernel/saga.ts';
import type { Plan, Work } from './interpreter.ts';
import type { Standing } from './standing.ts';

/** Runs sagas to their end, through crashes of any process. What it promises stands in `conformance.ts`. */
export interface Sagas {
  /** Begins a run. The same saga and id again is the same run: nothing starts twice. */
  start<P extends object>(saga: Saga<P>, id: string, params: P, origin: Origin): Promise<void>;
  /**
   * Answers a waiting step by its token. Repeating an answer is harmless; the first one counts. A wait that nobody
   * answered in time is closed, and its token is `unknown` from then on.
   */
  answer(token: string, value: unknown): Promise<'accepted' | 'unknown' | 'already answered' | 'invalid'>;
  look(saga: { readonly name: string }, id: string): Promise<Run | undefined>;
  /**
   * Runs of these sagas, in these versions, are worked on by this process from now on. More may be added later. A
   * process that only starts, answers and looks need not call it.
   */
  serve(sagas: readonly Saga<never>[]): Promise<void>;
  /** Throws unless the engine answers. */
  check(): Promise<void>;
  close(): Promise<void>;
}
/** Whose doing a run is, so that its audit rows, logs and spans join the request that began it. */
export interface Origin {
  readonly correlationId: string;
  readonly traceparent: string | undefined;
  readonly organizationId: string | undefined;
  readonly projectId: string | undefined;
}
/**
 * `undone`: a step gave up and everything before it was undone. `cancelled`: the same, because a person called it off.
 * `stuck`: an undo gave up; an operator must look and have it tried again.
 */
export type RunState = 'running' | 'done' | 'undone' | 'cancelled' | 'stuck';
export interface Run {
  readonly id: string;
  readonly state: RunState;
  /** The step in work, or the one that ended the run. */
  readonly step: string | undefined;
  readonly reason: string | undefined;
}

/**
 * The runs of sagas for operators: which there are, where each is, its attempts, and the two actions on a run. It
 * connects on first use, so a process may hold it without depending on the engine.
 */
export interface SagaRuns {
  /** Latest first. */
  list(wanted: WantedRuns): Promise<readonly ListedRun[]>;
  find(saga: string, id: string): Promise<RunInDetail | undefined>;
  /** A run that pauses tries its step now; one that is stuck tries its undo anew, as often as at first. */
  retry(saga: string, id: string, order: Order): Promise<Ordered>;
  /**
   * A run stops waiting, takes back what it did and ends as `cancelled`. What is being tried at this moment is finished
   * first. Repeating it is harmless.
   */
  cancel(saga: string, id: string, order: Order): Promise<Ordered>;
  close(): Promise<void>;
}
export interface WantedRuns {
  readonly saga: string | undefined;
  /** What the id begins with: a run may be the first or the second about the same thing. */
  readonly id: string | undefined;
  readonly state: Run['state'] | undefined;
  /** Only runs that began before this. */
  readonly before: Date | undefined;
  readonly limit: number;
}
export interface ListedRun extends Run {
  readonly saga: string;
  readonly version: number;
  readonly correlationId: string | undefined;
  readonly organizationId: string | undefined;
  readonly beganAt: Date;
  readonly endedAt: Date | undefined;
}
/** What a person may want of a run. */
export type OrderKind = 'retry' | 'cancel';
/** Why it cannot be, or `undefined` where it can. */
export type WhyNot = Readonly<Record<OrderKind, string | undefined>>;
/** Who wants it, and why. */
export interface Order {
  readonly by: string;
  readonly reason: string;
}
/** `undefined`: there is no such run. */
export type Ordered = 'accepted' | { readonly refused: string } | undefined;
export interface RunInDetail extends ListedRun {
  readonly plan: Plan;
  readonly attempts: readonly RunAttempted[];
  /** What it is doing; undefined once it has ended. */
  readonly standing: Pick<Standing, 'doing' | 'untilMs' | 'isUndoing'> | undefined;
  /** What was ordered so far, in the order of time. */
  readonly orders: readonly (Order & { readonly kind: OrderKind; readonly at: Date })[];
  readonly whyNot: WhyNot;
}
export interface RunAttempted {
  readonly step: string;
  readonly work: Work;
  readonly end: 'ok' | 'halt' | 'failed';
  readonly reason: string | undefined;
  readonly beganAt: Date;
  readonly endedAt: Date;
}

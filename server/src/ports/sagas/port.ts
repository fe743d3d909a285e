import type { Saga } from '../../kernel/saga.ts';

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
/** `undone`: a step gave up and everything before it was undone. `stuck`: an undo gave up; an operator must look. */
export type RunState = 'running' | 'done' | 'undone' | 'stuck';
export interface Run {
  readonly id: string;
  readonly state: RunState;
  /** The step in work, or the one that ended the run. */
  readonly step: string | undefined;
  readonly reason: string | undefined;
}

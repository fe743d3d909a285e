import type { Static, TSchema } from 'typebox';

/** The processes that have a certificate of their own. */
export const identifiedProcesses = ['terminal-gateway', 'node-log-gateway', 'app-proxy'] as const;
export type IdentifiedProcess = (typeof identifiedProcesses)[number];

/**
 * What one process asks another: JSON over HTTPS with certificates on both sides, on a listener of its own. A route names the
 * processes that may call it; one without callers does not compile. No token of a person works here, and neither does the
 * certificate of a node.
 */
export interface InternalRoute {
  /** All of them are POST. */
  readonly path: `/internal/v1/${string}`;
  readonly callers: readonly [IdentifiedProcess, ...IdentifiedProcess[]];
  readonly carries: TSchema;
  readonly answers: TSchema;
}

export const defineInternalRoute = <const R extends InternalRoute>(route: R): R => route;
export type InternalInput<R extends InternalRoute> = Static<R['carries']>;
export type InternalOutput<R extends InternalRoute> = Static<R['answers']>;

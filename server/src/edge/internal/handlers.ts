import type { InternalInput, InternalOutput, InternalRoute } from '@gpuaas/contract/internal';
import type { Fault } from '../../kernel/fault.ts';
import type { ProcessPeer } from './process-peer.ts';

/** Who calls, and until when an answer is of use. */
export interface InternalCall {
  readonly peer: ProcessPeer;
  readonly correlationId: string;
  /** Fires when the caller is gone or this process stops: a question that waits is answered or given up. */
  readonly signal: AbortSignal;
}

/** What answers one internal route. */
export interface InternalHandler {
  readonly route: InternalRoute;
  readonly handle: (input: never, call: InternalCall) => Promise<object>;
}

/** A handler of other values than its route declares does not compile. */
export const internalHandler = <const R extends InternalRoute>(
  route: R,
  handle: (input: InternalInput<R>, call: InternalCall) => Promise<InternalOutput<R> | Fault>,
): InternalHandler => ({ route, handle: handle as InternalHandler['handle'] });

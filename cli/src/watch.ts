import {
  type AllocationDetail,
  AllocationEnded,
  AllocationLate,
  type AllocationState,
  type Waiting,
} from '@gpuaas/sdk';
import type { Session } from './command.ts';
import { exitCodes, Failure } from './failure.ts';
import { readLength } from './input/read-input.ts';

const defaultPatience = '15m';

export interface Watching extends Pick<Waiting, 'onPhase' | 'onLook'> {
  readonly until: AllocationState;
}

/** Waits until an allocation reaches a state. It ends early, with the reason, if that has become impossible. */
export async function watchAllocation(session: Session, id: string, watching: Watching): Promise<AllocationDetail> {
  const { until, ...eyes } = watching;
  const timeoutMs = readLength(session.text('timeout') ?? defaultPatience, '--timeout') * 1_000;
  const api = await session.api();
  const stop = new AbortController();
  // An interrupt stops the watch only, and the person should know.
  session.around.once?.('SIGINT', () => stop.abort(stoppedWatching(id)));
  try {
    return await api.waitUntil(id, until, { ...eyes, timeoutMs, now: session.now, signal: stop.signal });
  } catch (error) {
    if (error instanceof AllocationEnded) throw neverThere(error);
    if (error instanceof AllocationLate) throw stillGoing(error);
    throw error;
  }
}

const stoppedWatching = (id: string): Failure =>
  new Failure(exitCodes.interrupted, 'You stopped watching. The operation continues.', {
    next: `gpuaas alloc wait ${id} watches again, gpuaas release ${id} releases it.`,
  });
const neverThere = ({ allocation: { id, state, failure }, wanted }: AllocationEnded): Failure =>
  new Failure(
    exitCodes.failed,
    failure ? `It is ${state}: ${failure.reason} (${failure.code})` : `It is ${state} and will not be ${wanted}.`,
    { next: `gpuaas why ${id} shows the evidence.` },
  );
const stillGoing = ({ allocation: { id, state }, wanted }: AllocationLate): Failure =>
  new Failure(exitCodes.late, `It is ${state}, not ${wanted} yet. The operation continues.`, {
    next: `gpuaas alloc wait ${id} waits again.`,
  });

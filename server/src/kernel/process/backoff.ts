import { drawUint32 } from '../randomness.ts';

export interface Backoff {
  readonly firstMs: number;
  readonly maxMs: number;
}

/** How long to wait after so many failures in a row: twice as long each time, and never longer than `maxMs`. */
export const backoffMs = (wait: Backoff, failures: number): number =>
  Math.min(wait.maxMs, wait.firstMs * 2 ** (failures - 1));

/**
 * The same, reduced by up to half at random, so that processes that lost a server at the same time do not reconnect at
 * the same time.
 */
export const jitteredBackoffMs = (wait: Backoff, failures: number, fraction = drawUint32() / 2 ** 32): number =>
  backoffMs(wait, failures) * (1 - fraction / 2);

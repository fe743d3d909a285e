import { setTimeout as rest } from 'node:timers/promises';

/** Time as a part that is handed in. The same shape as the server's, so that one clock serves both in one process. */
export interface Clock {
  now(): Date;
  /** Resolves after `ms` of this clock's time, or rejects when the signal says so. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The longest time that one timer of Node can hold; a longer one would fire at once. */
const longestTimerMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => new Date(),
  async sleep(ms, signal) {
    for (let left = ms; left > 0; left -= longestTimerMs) {
      await rest(Math.min(left, longestTimerMs), undefined, signal ? { signal } : {});
    }
  },
};

/** Sleeps, and answers false when it was woken by the signal instead. */
export async function sleepWell(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await clock.sleep(ms, signal);
    return !signal.aborted;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}

import type { Clock } from '../clock.ts';

/** A clock that stands still until it is told otherwise. */
export interface ManualClock extends Clock {
  /** Moves on, waking whoever is due in the order they are due. */
  advance(ms: number): Promise<void>;
  /** Sets the wall without anybody's sleep passing, as an administrator would. */
  set(at: Date): void;
  readonly elapsedMs: () => number;
}

const breath = () => new Promise((resolve) => setImmediate(resolve));

export function makeManualClock(start = new Date()): ManualClock {
  let elapsedMs = 0;
  let offsetMs = start.getTime();
  const sleepers = new Set<{ readonly atMs: number; readonly wake: () => void }>();
  return {
    now: () => new Date(offsetMs + elapsedMs),
    elapsedMs: () => elapsedMs,
    set(at) {
      offsetMs = at.getTime() - elapsedMs;
    },
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const sleeper = {
          atMs: elapsedMs + ms,
          wake: () => {
            signal?.removeEventListener('abort', stop);
            resolve();
          },
        };
        const stop = () => {
          sleepers.delete(sleeper);
          reject(signal?.reason);
        };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', stop, { once: true });
      }),
    async advance(ms) {
      const untilMs = elapsedMs + ms;
      for (;;) {
        await breath();
        const [due] = [...sleepers].filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs);
        if (!due) break;
        sleepers.delete(due);
        elapsedMs = Math.max(elapsedMs, due.atMs);
        due.wake();
      }
      elapsedMs = untilMs;
      await breath();
    },
  };
}

/** Lets time pass, step by step, until something is so. Disks and networks take their own time meanwhile. */
export async function advanceUntil(clock: ManualClock, claim: () => boolean, stepMs = 1_000): Promise<void> {
  while (!claim()) {
    await clock.advance(stepMs);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

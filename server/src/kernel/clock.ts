/**
 * Time as a part that is handed in. Domains never look at the wall: a test turns the clock by hand, `--speed` makes
 * it run faster, and both see the same code.
 */
export interface Clock {
  now(): Date;
  /** Resolves after `ms` of this clock's time, or rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => new Date(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', stop);
        resolve();
      }, ms);
      const stop = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', stop, { once: true });
    }),
};

/** A clock that stands still until it is told otherwise. */
export interface TestClock extends Clock {
  advance(ms: number): Promise<void>;
}

export function makeTestClock(start = new Date('2026-01-01T00:00:00Z')): TestClock {
  let now = start.getTime();
  const sleepers = new Set<{ at: number; wake: () => void }>();
  return {
    now: () => new Date(now),
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const sleeper = { at: now + ms, wake: resolve };
        sleepers.add(sleeper);
        signal?.addEventListener(
          'abort',
          () => {
            sleepers.delete(sleeper);
            reject(signal.reason);
          },
          { once: true },
        );
      }),
    async advance(ms) {
      const until = now + ms;
      for (;;) {
        const due = [...sleepers].filter((sleeper) => sleeper.at <= until).sort((a, b) => a.at - b.at)[0];
        if (!due) break;
        sleepers.delete(due);
        now = Math.max(now, due.at);
        due.wake();
        await new Promise((resolve) => setImmediate(resolve));
      }
      now = until;
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

/**
 * Time as a parameter. Domains never read the system clock: a test sets the clock, `--speed` makes it run faster, and
 * both run the same code.
 */
export interface Clock {
  now(): Date;
  /** Resolves after `ms` of this clock's time, or rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The longest time that one timer of Node can hold; a longer one would fire at once. */
const longestTimerMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => new Date(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      let timer: NodeJS.Timeout;
      const rest = (leftMs: number) => {
        timer = setTimeout(
          () => {
            if (leftMs > longestTimerMs) return rest(leftMs - longestTimerMs);
            signal?.removeEventListener('abort', stop);
            resolve();
          },
          Math.min(leftMs, longestTimerMs),
        );
      };
      const stop = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', stop, { once: true });
      rest(ms);
    }),
};

/** A clock that stands still until a test moves it. */
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
        const stop = () => {
          sleepers.delete(sleeper);
          reject(signal?.reason);
        };
        const wake = () => {
          signal?.removeEventListener('abort', stop);
          resolve();
        };
        const sleeper = { at: now + ms, wake };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', stop, { once: true });
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

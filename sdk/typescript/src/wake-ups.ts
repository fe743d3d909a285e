import type { EventStream } from './operation.ts';

type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

/**
 * Waits for something to happen, and never longer than asked. Whoever looks again when woken sees a change at once;
 * whoever may not hear events, or missed one, is woken by the clock.
 */
export function wakeUps(
  stream: EventStream,
  sleep: Sleep,
  signal?: AbortSignal,
): { next(atMostMs: number): Promise<void> } {
  const events = stream[Symbol.asyncIterator]();
  const never = new Promise<never>(() => undefined);
  const hear = () =>
    events.next().then(
      ({ done }) => (done ? never : true),
      () => never,
    );
  let heard = hear();
  return {
    async next(atMostMs) {
      const timer = new AbortController();
      const either = signal ? AbortSignal.any([signal, timer.signal]) : timer.signal;
      const asleep = sleep(atMostMs, either).then(() => false);
      // Woken early, the sleep ends without its time: that is no failure of anybody's.
      asleep.catch(() => undefined);
      const isEvent = await Promise.race([heard, asleep]);
      timer.abort();
      if (isEvent) heard = hear();
    },
  };
}

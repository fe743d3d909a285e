import type { Clock } from '../../clock.ts';
import { HostFailure, type Work } from '../port.ts';

/** Work that nobody wants any more ends here, with what has been done so far left in order. */
export function heed(signal: AbortSignal): void {
  if (signal.aborted) throw new HostFailure('aborted', 'The work was called off.');
}
/** For what only looks: a release does not wait for a look that is stuck. */
export async function unlessCalledOff<T>(signal: AbortSignal, look: Promise<T>): Promise<T> {
  const off = Promise.withResolvers<never>();
  const tell = () => off.reject(new HostFailure('aborted', 'The work was called off.'));
  signal.addEventListener('abort', tell, { once: true });
  if (signal.aborted) tell();
  try {
    return await Promise.race([look, off.promise]);
  } finally {
    signal.removeEventListener('abort', tell);
  }
}
export async function rest(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  await clock.sleep(ms, signal).catch(() => heed(signal));
  heed(signal);
}

/** Tells which phase has begun and counts how long each took. */
export function makePhases(work: Work, clock: Clock) {
  const durations: Record<string, number> = {};
  let current: { readonly name: string; readonly atMs: number } | undefined;
  const end = () => {
    if (current) durations[current.name] = Math.max(0, clock.now().getTime() - current.atMs);
    current = undefined;
    return durations;
  };
  return {
    begin(name: string) {
      end();
      heed(work.signal);
      current = { name, atMs: clock.now().getTime() };
      work.phase(name, 0);
      heed(work.signal);
    },
    end,
  };
}

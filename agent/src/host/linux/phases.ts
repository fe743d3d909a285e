import type { Clock } from '../../clock.ts';
import { HostFailure, type Work } from '../port.ts';

/** Throws where work was called off. It stands between steps, so no step is left half done. */
export function stopIfCalledOff(signal: AbortSignal): void {
  if (signal.aborted) throw new HostFailure('aborted', 'The work was called off.');
}
/** For work that only looks and changes nothing: a release does not wait for a look that hangs. */
export async function unlessCalledOff<T>(signal: AbortSignal, look: Promise<T>): Promise<T> {
  const off = Promise.withResolvers<never>();
  const refuse = () => off.reject(new HostFailure('aborted', 'The work was called off.'));
  signal.addEventListener('abort', refuse, { once: true });
  if (signal.aborted) refuse();
  try {
    return await Promise.race([look, off.promise]);
  } finally {
    signal.removeEventListener('abort', refuse);
  }
}
export async function rest(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  await clock.sleep(ms, signal).catch(() => stopIfCalledOff(signal));
  stopIfCalledOff(signal);
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
      stopIfCalledOff(work.signal);
      current = { name, atMs: clock.now().getTime() };
      work.phase(name, 0);
      stopIfCalledOff(work.signal);
    },
    end,
  };
}

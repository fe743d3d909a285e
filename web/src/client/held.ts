import { useSyncExternalStore } from 'react';

/** Until when the server asked us to wait. The SDK does; this lets the page say so instead of standing there mute. */
let until = 0;
const watchers = new Set<() => void>();

/** Hears an answer that says `Retry-After`, in seconds. */
export function noteHold(answer: Response): void {
  const seconds = Number(answer.headers.get('retry-after'));
  if (answer.status !== 429 || !Number.isFinite(seconds) || seconds <= 0) return;
  until = Math.max(until, Date.now() + seconds * 1_000);
  for (const tell of watchers) tell();
}

const watch = (tell: () => void): (() => void) => {
  watchers.add(tell);
  return () => watchers.delete(tell);
};
export const useHeldUntil = (): number => useSyncExternalStore(watch, () => until);

import { useSyncExternalStore } from 'react';

/** Until when the server asked us to wait. The SDK waits; this lets the page show it. */
let until = 0;
const watchers = new Set<() => void>();

/** Records the `Retry-After` of an answer, in seconds. */
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

import type { Clock } from '../../kernel/clock.ts';

/** Does something after a time, unless it is called off with what this answers. */
export function later(clock: Clock, ms: number, act: () => void): () => void {
  const off = new AbortController();
  clock.sleep(ms, off.signal).then(act, () => undefined);
  return () => off.abort(new Error('called off'));
}

export const nowMs = (clock: Clock): number => clock.now().getTime();

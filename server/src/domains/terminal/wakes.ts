import type { Clock } from '../../kernel/clock.ts';
import { terminalChannel } from './facts.ts';

/** Waits for news of sessions. Every process hears them after the commit; a lost one costs the time of one wait. */
export interface SessionWakes {
  /** Resolves when one of these sessions changed, after `ms`, or when the signal aborts. */
  wait(sessionIds: ReadonlySet<string>, ms: number, signal?: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export async function openSessionWakes(parts: {
  readonly clock: Clock;
  readonly listen: (channel: string, listener: (payload: string) => void) => Promise<{ close(): Promise<void> }>;
}): Promise<SessionWakes> {
  const waiting = new Set<{ readonly ids: ReadonlySet<string>; readonly wake: () => void }>();
  const listening = await parts.listen(terminalChannel, (payload) => {
    const changed = payload.split(',');
    for (const { ids, wake } of waiting) if (changed.some((id) => ids.has(id))) wake();
  });
  const stopping = new AbortController();
  return {
    async wait(ids, ms, signal) {
      const timer = new AbortController();
      const woken = Promise.withResolvers<void>();
      const one = { ids, wake: woken.resolve };
      waiting.add(one);
      const signals = [timer.signal, stopping.signal, ...(signal ? [signal] : [])];
      try {
        await Promise.race([woken.promise, parts.clock.sleep(ms, AbortSignal.any(signals)).catch(() => undefined)]);
      } finally {
        waiting.delete(one);
        timer.abort();
      }
    },
    async close() {
      stopping.abort();
      await listening.close();
    },
  };
}

import { type Clock, sleepWell } from '../clock.ts';
import type { ServerTime } from '../server-time.ts';

/** Time may be corrected while we sleep, so no sleep is long. */
const longestSleepMs = 30_000;
const shortestSleepMs = 10;

/**
 * Resolves at the end of a session's time, and when nothing was typed for too long; with nothing when the signal comes
 * first. The time is the control plane's, as this host counts it, so that a control plane that is away cannot keep a session
 * alive.
 */
export async function watchTime(
  order: { readonly endsAtMs: number; readonly idleMs: number },
  parts: {
    readonly time: ServerTime;
    readonly clock: Clock;
    readonly typedAtMs: () => number;
    readonly signal: AbortSignal;
  },
): Promise<'idle' | 'time_over' | undefined> {
  const { time, clock, signal } = parts;
  for (;;) {
    const nowMs = time.nowMs();
    const idleAtMs = order.idleMs === 0 ? Number.POSITIVE_INFINITY : parts.typedAtMs() + order.idleMs;
    if (nowMs >= order.endsAtMs) return 'time_over';
    if (nowMs >= idleAtMs) return 'idle';
    const left = Math.min(order.endsAtMs, idleAtMs) - nowMs;
    const isSlept = await sleepWell(clock, Math.min(Math.max(left, shortestSleepMs), longestSleepMs), signal);
    if (!isSlept) return undefined;
  }
}

import type { Clock } from '../../../kernel/clock.ts';
import type { Admission, Cache } from '../../../ports/cache/port.ts';
import type { CallerKey } from './caller-key.ts';
import type { Allowance } from './rate-limit.ts';

/**
 * At most `limit` requests of a caller in any window, whenever it begins. Every request that may be let through asks the shared
 * window; one that was refused is refused from memory until a place is free again, so that a flood costs nothing. While the
 * shared window is away, each process counts alone.
 */
export type SlidingLimit = (key: CallerKey, limit: number) => Promise<Allowance>;

interface Known {
  /** Nobody is let through before this. */
  refusedUntilMs: number;
  /** Refusals before this are in the audit log already. */
  toldUntilMs: number;
  /** When this process let requests through, for the time in which nobody else can say. */
  admittedAtMs: number[];
}

export function makeSlidingLimit(parts: {
  readonly cache: Pick<Cache, 'admit'>;
  readonly clock: Clock;
  readonly onFault: (error: unknown) => void;
  readonly windowMs: number;
  readonly maxCallers: number;
}): SlidingLimit {
  const { windowMs } = parts;
  const callers = new Map<CallerKey, Known>();
  const nowMs = () => parts.clock.now().getTime();
  const insideOf = (known: Known, atMs: number) => known.admittedAtMs.filter((ms) => ms > atMs - windowMs);

  return async (key, limit) => {
    const known = callers.get(key) ?? { refusedUntilMs: 0, toldUntilMs: 0, admittedAtMs: [] };
    const oldest = callers.size >= parts.maxCallers && !callers.has(key) ? callers.keys().next().value : undefined;
    if (oldest !== undefined) callers.delete(oldest);
    callers.set(key, known);
    const waitMs = known.refusedUntilMs - nowMs();
    if (waitMs > 0) return refused(known, limit, waitMs);
    const { allowed, count, resetMs } = await shared(known, key, limit);
    if (!allowed) {
      known.refusedUntilMs = nowMs() + resetMs;
      return refused(known, limit, resetMs);
    }
    known.admittedAtMs = [...insideOf(known, nowMs()), nowMs()];
    const remaining = Math.max(0, limit - count);
    return { allowed: true, limit, remaining, resetSeconds: secondsOf(resetMs), firstRefusal: false };
  };

  function refused(known: Known, limit: number, resetMs: number): Allowance {
    const firstRefusal = known.toldUntilMs <= nowMs();
    if (firstRefusal) known.toldUntilMs = nowMs() + windowMs;
    return { allowed: false, limit, remaining: 0, resetSeconds: secondsOf(resetMs), firstRefusal };
  }

  /** An unavailable cache must not stop the product. */
  async function shared(known: Known, key: CallerKey, limit: number): Promise<Admission> {
    try {
      return await parts.cache.admit(`rate:${key}`, windowMs, limit);
    } catch (error) {
      parts.onFault(error);
      const held = insideOf(known, nowMs());
      const allowed = held.length < limit;
      const leavesAtMs = (held[Math.max(0, held.length - limit)] ?? nowMs()) + windowMs;
      return { allowed, count: held.length + (allowed ? 1 : 0), resetMs: leavesAtMs - nowMs() };
    }
  }
}

const secondsOf = (ms: number) => Math.max(1, Math.ceil(ms / 1_000));

import { type Lane, lanes, type NumberPolicyKey, slides } from '@gpuaas/contract';
import type { Clock } from '../../../kernel/clock.ts';
import type { Cache } from '../../../ports/cache/port.ts';
import { type Caller, type CallerKey, callerKey } from './caller-key.ts';
import { makeSlidingLimit } from './sliding-limit.ts';

/**
 * A lane gives each caller a budget per minute, shared by all processes. A process does not ask the shared counter for
 * every request: it takes a twentieth of the budget at a time and spends that by itself. Small budgets are counted one by
 * one, large ones cost next to nothing.
 *
 * The minute is a fixed window that begins with the caller's first request. No window exceeds the limit; a caller who spends
 * one budget at the end of a window and the next at its beginning gets up to twice the limit within a minute. Lanes for which
 * that is too much have a sliding window (terminal tokens: ten in any minute). While the shared counter is away, each process
 * counts alone.
 */
export interface Allowance {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
  /** The first refusal of this window: worth an audit row, the others are not. */
  readonly firstRefusal: boolean;
}
export interface PolicySubject {
  readonly actorId?: string | undefined;
  readonly projectId?: string | undefined;
  readonly organizationId?: string | undefined;
}
export type RateLimit = (lane: Lane, caller: Caller, subject: PolicySubject) => Promise<Allowance>;

const windowMs = 60_000;
const shareOfBudget = 20;
const maxCallers = 50_000;

interface Purse {
  left: number;
  counted: number;
  endsAtMs: number;
  refused: boolean;
  filling: Promise<void> | undefined;
}

export function makeRateLimit(parts: {
  readonly cache: Pick<Cache, 'hit' | 'admit'>;
  readonly clock: Clock;
  readonly onFault: (error: unknown) => void;
  readonly policy: (key: NumberPolicyKey, subject: PolicySubject) => number;
}): RateLimit {
  const purses = new Map<CallerKey, Purse>();
  const sliding = makeSlidingLimit({ ...parts, windowMs, maxCallers });

  return async (lane, caller, subject) => {
    const limit = parts.policy(lanes[lane].policy, subject);
    const key = callerKey(lane, caller);
    if (slides(lane)) return sliding(key, limit);
    const nowMs = parts.clock.now().getTime();
    let purse = purses.get(key);
    if (!purse || purse.endsAtMs <= nowMs) {
      const oldest = purses.size >= maxCallers ? purses.keys().next().value : undefined;
      if (oldest !== undefined) purses.delete(oldest);
      purse = { left: 0, counted: 0, endsAtMs: nowMs + windowMs, refused: false, filling: undefined };
      purses.set(key, purse);
    }
    while (purse.left === 0 && !purse.refused) {
      purse.filling ??= fill(purse, key, limit);
      await purse.filling;
    }
    const resetSeconds = Math.max(1, Math.ceil((purse.endsAtMs - nowMs) / 1_000));
    if (purse.left === 0) {
      const firstRefusal = purse.counted !== Number.POSITIVE_INFINITY;
      purse.counted = Number.POSITIVE_INFINITY;
      return { allowed: false, limit, remaining: 0, resetSeconds, firstRefusal };
    }
    purse.left -= 1;
    const remaining = Math.max(0, limit - purse.counted) + purse.left;
    return { allowed: true, limit, remaining, resetSeconds, firstRefusal: false };
  };

  /** An unavailable cache must not stop the product: each process then counts alone. */
  async function shared(purse: Purse, key: CallerKey, share: number): Promise<{ count: number; resetMs: number }> {
    try {
      return await parts.cache.hit(`rate:${key}`, windowMs, share);
    } catch (error) {
      parts.onFault(error);
      return { count: purse.counted + share, resetMs: purse.endsAtMs - parts.clock.now().getTime() };
    }
  }

  async function fill(purse: Purse, key: CallerKey, limit: number): Promise<void> {
    const share = Math.max(1, Math.floor(limit / shareOfBudget));
    try {
      const { count, resetMs } = await shared(purse, key, share);
      const granted = Math.max(0, Math.min(share, limit - (count - share)));
      purse.left += granted;
      purse.counted = Math.min(limit, count);
      purse.endsAtMs = parts.clock.now().getTime() + resetMs;
      purse.refused = granted === 0;
    } finally {
      purse.filling = undefined;
    }
  }
}

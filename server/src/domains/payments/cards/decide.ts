import { backoffBase, longestBackoffMs } from '../facts.ts';
import type { AutoTopUpRow } from './store.ts';

/** What is to be done about the automatic top-up of one account. */
export type TopUpStep =
  | { readonly kind: 'nothing' }
  /** The balance is above the threshold again, or was paid for: the next fall is a crossing of its own. */
  | { readonly kind: 'next_crossing' }
  /** The last attempt failed: wait, or give up. */
  | { readonly kind: 'wait'; readonly until: Date }
  | { readonly kind: 'turn_off' }
  /** It would be more than a limit allows. */
  | { readonly kind: 'limited'; readonly by: 'monthly_limit' | 'deposit_limit'; readonly until: Date }
  | { readonly kind: 'no_card' }
  | { readonly kind: 'begin'; readonly attempt: number; readonly methodId: string };

export interface TopUpRules {
  readonly maxFailures: number;
  readonly retryMs: number;
}

/** How long to wait after so many failures. */
export const backoffMs = ({ retryMs }: TopUpRules, failures: number): number =>
  Math.min(longestBackoffMs, retryMs * backoffBase ** Math.max(0, failures - 1));

/**
 * One crossing of the threshold is paid for once. A payment that leaves the balance at the threshold or below it has not ended the
 * need, so the next one is made; the limit of the month bounds that.
 */
export function decideTopUp(
  row: AutoTopUpRow,
  seen: {
    readonly spendable: bigint;
    readonly methodId: string | undefined;
    /** Until when the limits for new payers allow no such payment. */
    readonly limitedUntil: Date | undefined;
  },
  rules: TopUpRules,
): TopUpStep {
  if (!row.enabled || row.under_way !== null) return { kind: 'nothing' };
  if (row.failures > 0 && row.next_attempt_at === null) {
    return row.failures >= rules.maxFailures
      ? { kind: 'turn_off' }
      : { kind: 'wait', until: new Date(row.now.getTime() + backoffMs(rules, row.failures)) };
  }
  if (seen.spendable > row.threshold_minor) {
    return row.attempts === null ? { kind: 'nothing' } : { kind: 'next_crossing' };
  }
  if (row.paid) return { kind: 'next_crossing' };
  if (row.next_attempt_at !== null && row.next_attempt_at > row.now) return { kind: 'nothing' };
  if (row.added_minor + row.amount_minor > row.monthly_limit_minor) {
    return { kind: 'limited', by: 'monthly_limit', until: row.month_ends };
  }
  if (seen.limitedUntil) return { kind: 'limited', by: 'deposit_limit', until: seen.limitedUntil };
  if (seen.methodId === undefined) return { kind: 'no_card' };
  return { kind: 'begin', attempt: (row.attempts ?? 0) + 1, methodId: seen.methodId };
}

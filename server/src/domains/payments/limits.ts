import { type DepositLimits, showMoney } from '@gpuaas/contract';
import type { ReadTx } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import { money } from '../billing/index.ts';
import type { Policies } from '../policy/index.ts';
import { mostSettled } from './facts.ts';
import { type DepositsRow, readDeposits } from './limits-store.ts';

/** What an organization may still add to its balance. */
export interface Limits {
  readonly day: Limit;
  readonly month: Limit;
  readonly settled: number;
  readonly growsAt: Date | undefined;
}
interface Limit {
  readonly limit: bigint;
  readonly left: bigint;
  readonly resetsAt: Date;
}

/**
 * A new payer begins with the first limit. What has settled is added to it, up to the limit of everybody. The value counts and not the
 * number: many small payments show no more trust than their sum.
 */
export function limitsOf(
  rules: { readonly day: Rule; readonly month: Rule },
  { today, this_month, day_ends, month_ends, settled, settled_minor, grows_at }: DepositsRow,
): Limits {
  const limit = ({ first, most }: Rule, used: bigint, resetsAt: Date): Limit => {
    const grown = first + settled_minor;
    const all = grown < most ? grown : most;
    return { limit: all, left: used < all ? all - used : 0n, resetsAt };
  };
  const isFull = [rules.day, rules.month].every(({ first, most }) => first + settled_minor >= most);
  return {
    day: limit(rules.day, today, day_ends),
    month: limit(rules.month, this_month, month_ends),
    settled,
    growsAt: isFull ? undefined : (grows_at ?? undefined),
  };
}
export interface Rule {
  readonly first: bigint;
  readonly most: bigint;
}

export async function readLimits(tx: ReadTx, policies: Policies, organizationId: string): Promise<Limits> {
  const of = (
    key:
      | 'payments.new_payer_day_minor'
      | 'payments.maximum_day_minor'
      | 'payments.new_payer_month_minor'
      | 'payments.maximum_month_minor',
  ) => BigInt(policies.number(key, { organizationId }));
  const settleDays = policies.number('payments.settle_days', { organizationId });
  return limitsOf(
    {
      day: { first: of('payments.new_payer_day_minor'), most: of('payments.maximum_day_minor') },
      month: { first: of('payments.new_payer_month_minor'), most: of('payments.maximum_month_minor') },
    },
    await readDeposits(tx, organizationId, { settleDays, mostSettled }),
  );
}

export function showLimits({ day, month, settled, growsAt }: Limits, currency: string): DepositLimits {
  const show = ({ limit, left, resetsAt }: Limit) => ({
    limit: money(limit, currency),
    left: money(left, currency),
    resets_at: resetsAt.toISOString(),
  });
  return {
    day: show(day),
    month: show(month),
    settled_payments: settled,
    grows_at: growsAt?.toISOString() ?? null,
  };
}

/** Until when nothing of this size can be added; undefined when it can be now. A limit that is too small for it resets in vain. */
export const limitedUntil = ({ day, month }: Limits, amount: bigint): Date | undefined =>
  amount > month.left ? month.resetsAt : amount > day.left ? day.resetsAt : undefined;

export function limitFault(
  limits: Limits,
  amount: bigint,
  currency: string,
): Fault<'deposit_limit_exceeded'> | undefined {
  if (limitedUntil(limits, amount) === undefined) return undefined;
  const { day, month, growsAt } = limits;
  const show = (minor: bigint) => showMoney(minor, currency);
  const grows = growsAt
    ? `The limits grow on ${growsAt.toISOString()}, when a payment of yours has settled.`
    : 'The limits grow with payments that have settled.';
  return new Fault(
    'deposit_limit_exceeded',
    `You can add ${show(day.left)} more today and ${show(month.left)} more this month (UTC); ${show(amount)} is more than that. ${grows}`,
    showLimits(limits, currency),
  );
}

import type { Budget } from '@gpuaas/sdk';
import { type Amount, spellMoney } from '../money.ts';

const wholePercent = 100n;
/** How much of a limit is used, in per cent; 0 for a limit of nothing. */
export const percentOf = (part: Amount, limit: Amount): number =>
  BigInt(limit.amount_minor) === 0n
    ? 0
    : Number((BigInt(part.amount_minor) * wholePercent) / BigInt(limit.amount_minor));

const plus = (one: Amount, other: Amount): Amount => ({
  ...one,
  amount_minor: String(BigInt(one.amount_minor) + BigInt(other.amount_minor)),
});

export interface BudgetLevel {
  /** Spent and held: what the thresholds are compared with. */
  readonly counted: Amount;
  readonly percent: number;
  /** Where the soft threshold is, in per cent of the hard one. */
  readonly mark: number | undefined;
  readonly tone: 'ok' | 'warn' | 'bad';
}
/** A budget as a bar: against its hard threshold, or its soft one where it has no other. */
export function levelOf({
  spent,
  held,
  soft,
  hard,
  state,
}: Pick<Budget, 'spent' | 'held' | 'soft' | 'hard' | 'state'>): BudgetLevel {
  const counted = plus(spent, held);
  const limit = hard ?? soft;
  return {
    counted,
    percent: limit ? percentOf(counted, limit) : 0,
    mark: soft && hard ? percentOf(soft, hard) : undefined,
    tone: state === 'hard_reached' ? 'bad' : state === 'soft_reached' ? 'warn' : 'ok',
  };
}

export const budgetScopes: Readonly<Record<Budget['scope'], string>> = {
  organization: 'The organization',
  project: 'A project',
  user: 'A person',
  tag: 'A tag',
};
/** `Project Vision`, `Tag team=nlp`, `The organization`. */
export function tellScope(
  { scope, subject, subject_name }: Pick<Budget, 'scope' | 'subject' | 'subject_name'>,
  personName?: string,
): string {
  if (scope === 'organization') return budgetScopes.organization;
  if (scope === 'project') return `Project ${subject_name ?? subject ?? ''}`;
  if (scope === 'user') return personName ?? subject_name ?? `Person ${subject ?? ''}`;
  return `Tag ${subject ?? ''}`;
}

/** What each threshold does. */
export function tellThresholds({ soft, hard }: Pick<Budget, 'soft' | 'hard'>): string {
  const warns = soft && `warns at ${spellMoney(soft)}`;
  const refuses = hard && `refuses launches at ${spellMoney(hard)}`;
  return [warns, refuses].filter(Boolean).join(', ');
}

/** Why thresholds do not fit; undefined when they do. */
export function objectToThresholds(soft: string | undefined, hard: string | undefined): string | undefined {
  if (soft === undefined && hard === undefined) return 'Enter at least one of the two amounts.';
  if (soft === '0' || hard === '0') return 'An amount has to be more than nothing.';
  if (soft !== undefined && hard !== undefined && BigInt(soft) > BigInt(hard)) {
    return 'The warning has to come before launches are refused: enter a smaller amount for it.';
  }
  return undefined;
}

import type { Quote } from '@gpuaas/sdk';
import { type Amount, spellMoney } from '../money.ts';
import { spellDuration } from '../time.ts';

const isNothing = ({ amount_minor }: Amount): boolean => BigInt(amount_minor) === 0n;

/** What a launch costs and does, one sentence for each: price, end, hold and balance, runway. */
export function tellQuote({ price, ends, hold, account }: Quote): readonly string[] {
  return [
    `${spellMoney(price.per_hour)} per hour, from when the host has verified the GPUs.`,
    tellEnd(ends),
    ...tellBalance(hold, account),
  ];
}

function tellEnd(ends: Quote['ends']): string {
  if (!ends) return 'It runs until you release it.';
  const time = spellDuration(ends.after_seconds * 1_000);
  return ends.because === 'max_spend'
    ? `It is released after ${time}, before it costs more than you allow: at most ${spellMoney(ends.cost)}.`
    : `It is released after ${time} and costs at most ${spellMoney(ends.cost)}.`;
}

function tellBalance(hold: Quote['hold'], account: Quote['account']): readonly string[] {
  const held = isNothing(hold) ? undefined : `The launch holds ${spellMoney(hold)}`;
  if (!account) return held ? [`${held} of the balance, and gives it back as usage is charged.`] : [];
  const balance = held
    ? `${held} of the balance of ${spellMoney(account.balance)}, until usage is charged.`
    : `The balance is ${spellMoney(account.balance_after)} until usage is charged.`;
  const lasts = account.runway_seconds_after;
  if (lasts === null) return [balance];
  const now = account.runway_seconds;
  const before = now === null ? '' : `, instead of ${spellDuration(now * 1_000)}`;
  return [balance, `With it, what you have lasts ${spellDuration(lasts * 1_000)}${before}.`];
}

type CountedBudget = Quote['budgets'][number];
/** `$42.00 of $100.00`, with the threshold that is closest. */
export function tellBudget({ counted, soft, hard, blocks }: CountedBudget): string {
  const limit = hard ?? soft;
  const of = limit ? ` of ${spellMoney(limit)}` : '';
  if (blocks) return `${spellMoney(counted)}${of} with this launch: more than the budget allows.`;
  const isPast = soft !== null && BigInt(counted.amount_minor) >= BigInt(soft.amount_minor);
  return `${spellMoney(counted)}${of} with this launch${isPast ? ': past its warning' : ''}.`;
}

/** `9:41` until a time; undefined when it has come. */
export function countDown(until: string, now: number): string | undefined {
  const seconds = Math.floor((Date.parse(until) - now) / 1_000);
  if (!(seconds > 0)) return undefined;
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** What a person can do about a launch that is refused for its money. */
export const remedyFor = (code: string): 'top up' | 'budgets' | 'new quote' | undefined =>
  code === 'insufficient_balance'
    ? 'top up'
    : code === 'budget_exceeded'
      ? 'budgets'
      : /^quote_/.test(code)
        ? 'new quote'
        : undefined;

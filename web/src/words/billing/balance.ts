import type { BillingBalance } from '@gpuaas/sdk';
import { type Amount, spellMoney } from '../money.ts';
import { counted } from '../sizes.ts';
import { spellDuration } from '../time.ts';

const isSpent = ({ amount_minor }: Amount): boolean => BigInt(amount_minor) <= 0n;

/** `At $4.50/h, 12 h 30 m left.` */
export function tellRunway({ balance, per_hour, runway_seconds }: BillingBalance): string {
  if (runway_seconds === null) return 'Nothing is running, so nothing is charged.';
  const rate = `At ${spellMoney(per_hour)}/h`;
  return isSpent(balance)
    ? `${rate}, the balance is used up.`
    : `${rate}, ${spellDuration(runway_seconds * 1_000)} left.`;
}

/** Whether a launch is refused without a balance. */
export const tellEnforced = ({ enforced, minimum_runway_minutes }: BillingBalance): string =>
  enforced
    ? `Launches are refused when the balance does not last for ${counted(minimum_runway_minutes, 'minute')}.`
    : 'Launches are not refused, whatever the balance is.';

const shortRunwaySeconds = 24 * 3_600;
/** The warning of the top bar: a balance that is used up, or ends within a day. */
export function balanceWarning(
  it: BillingBalance,
): { readonly tone: 'warn' | 'bad'; readonly text: string } | undefined {
  if (isSpent(it.balance) && it.enforced) return { tone: 'bad', text: 'No balance' };
  if (it.runway_seconds === null || it.runway_seconds >= shortRunwaySeconds) return undefined;
  const text = isSpent(it.balance) ? 'Balance used up' : `${spellDuration(it.runway_seconds * 1_000)} left`;
  return { tone: 'warn', text };
}

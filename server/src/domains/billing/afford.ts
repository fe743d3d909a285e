import { showMoney } from '@gpuaas/contract';
import type { ReadTx } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import type { MayAfford } from '../allocations/index.ts';
import type { Policies } from '../policy/index.ts';
import { minutesPerHour } from './facts.ts';
import { stateOf } from './ladder/decide.ts';
import { rulesOf } from './ladder/rules.ts';
import { findStanding, lockAccount, standingOf } from './ladder/store.ts';
import { readOrdered } from './ledger-store.ts';
import { money } from './money.ts';

/**
 * Whether an organization can pay for a launch. Where the policy says so, its balance must last for the minimum runway, with
 * everything that was ordered and has not ended, and the launch itself. Launches of one organization wait for each other on
 * the row of the account, so that two of them cannot spend the same balance.
 */
export const makeMayAfford =
  ({ policies }: { readonly policies: Policies }): MayAfford =>
  async (tx: ReadTx, { organizationId, perHour, currency }) => {
    const of = { organizationId };
    if (policies.value('billing.enforce_balance', of) !== true || perHour === 0n) return undefined;
    const minutes = policies.number('billing.minimum_runway_minutes', of);
    await lockAccount(tx, organizationId);
    const [account, burn] = await Promise.all([findStanding(tx, organizationId), readOrdered(tx, organizationId)]);
    const balance = account?.spendable ?? 0n;
    const state = account && stateOf({ ...standingOf(account), used: true }, rulesOf(policies, organizationId));
    if (balance > 0n && account && (state === 'auto_release_pending' || state === 'depleted')) {
      return new Fault(
        'insufficient_balance',
        `The balance is ${showMoney(balance, currency)} and nearly spent: everything that runs is about to be released. Top up (Billing in the console, or gpuaas billing top-up), or release an allocation.`,
        { state, balance: money(balance, currency), releases_at: account.releases_at?.toISOString() ?? null },
      );
    }
    const least = neededFor(burn + perHour, minutes);
    const needed = least > 0n ? least : 1n;
    if (balance >= needed) return undefined;
    const missing = needed - balance;
    const details = {
      balance: money(balance, currency),
      needed: money(needed, currency),
      missing: money(missing, currency),
      per_hour: money(burn + perHour, currency),
      minimum_runway_minutes: minutes,
    };
    return new Fault(
      'insufficient_balance',
      `The balance is ${showMoney(balance, currency)}. With this launch you spend ${showMoney(burn + perHour, currency)} per hour, and the balance must last for ${minutes} minutes: ${showMoney(needed, currency)} is needed, ${showMoney(missing, currency)} more than you have. Top up (Billing in the console, or gpuaas billing top-up), or release an allocation.`,
      details,
    );
  };

/** Rounded up: a balance that falls short by a part of a minor unit falls short. */
function neededFor(perHour: bigint, minutes: number): bigint {
  const hour = BigInt(minutesPerHour);
  return (perHour * BigInt(minutes) + hour - 1n) / hour;
}

import { showMoney } from '@gpuaas/contract';
import type { InOrganization, ReadTx, Viewer } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import { minuteMs, secondMs } from '../../../kernel/units.ts';
import type { LaunchMoney, Order } from '../../allocations/index.ts';
import type { Policies } from '../../policy/index.ts';
import { countBudgets, sayBudget, tagFault, type Whose } from '../budgets/count.ts';
import { hasHardBudget } from '../budgets/store.ts';
import { minutesPerHour, secondsPerHour } from '../facts.ts';
import { placeHolds } from '../holds/store.ts';
import { stateOf } from '../ladder/decide.ts';
import { rulesOf } from '../ladder/rules.ts';
import { findStanding, lockAccount, type StandingRow, standingOf } from '../ladder/store.ts';
import { readOrdered } from '../ledger-store.ts';
import { money } from '../money.ts';
import { pastDueFault } from './past-due.ts';
import { seesAccount } from './sees-account.ts';
import { lockQuote, markQuoteUsed } from './store.ts';

/** How an organization pays: ahead or not, and for how long a launch needs a balance. */
export interface PayingRules {
  readonly enforced: boolean;
  readonly minimumMinutes: number;
}
export const payingRules = (policies: Policies, organizationId: string): PayingRules => ({
  enforced: policies.value('billing.enforce_balance', { organizationId }) === true,
  minimumMinutes: policies.number('billing.minimum_runway_minutes', { organizationId }),
});

/** How long a hold lasts at most. */
export const holdSeconds = ({ minimumMinutes }: Pick<PayingRules, 'minimumMinutes'>): number =>
  (minimumMinutes * minuteMs) / secondMs;
/** What a launch sets aside: its cost for the minimum runway, or for its whole life where that is shorter. Rounded down. */
export function holdOf({ perHour, seconds }: Pick<Order, 'perHour' | 'seconds'>, minimumMinutes: number): bigint {
  const least = holdSeconds({ minimumMinutes });
  return (perHour * BigInt(seconds === undefined ? least : Math.min(seconds, least))) / BigInt(secondsPerHour);
}
/** Rounded up: a balance that falls short by a part of a minor unit falls short. */
function neededFor(perHour: bigint, minutes: number): bigint {
  const hour = BigInt(minutesPerHour);
  return (perHour * BigInt(minutes) + hour - 1n) / hour;
}

/**
 * Billing's part of a launch. Launches of one organization, entries of its ledger and releases wait for each other on the row of
 * its account, so that two of them cannot spend the same balance.
 */
export function makeLaunchMoney({ policies, ids }: { readonly policies: Policies; readonly ids: Ids }): LaunchMoney {
  return {
    async check(tx, act, orders) {
      const organizationId = act.organizationId;
      const perHour = orders.reduce((sum, order) => sum + order.perHour, 0n);
      if (perHour === 0n) return undefined;
      const rules = payingRules(policies, organizationId);
      // Launches that come at once wait for each other, so that each counts the others.
      if (rules.enforced || (await hasHardBudget(tx, organizationId))) await lockAccount(tx, organizationId);
      const budget = await findBlocking(tx, act, { ...act, of: 'launch' }, orders, rules);
      if (budget) return budget;
      const unpaid = await pastDueFault(tx, policies, act);
      if (unpaid) return unpaid;
      if (!rules.enforced) return undefined;
      return balanceFault(tx, policies, act, { perHour, currency: orders[0]?.currency ?? '' });
    },
    async checkExtension(tx, act, { organizationId, projectId, requestedBy, ...order }) {
      if (order.perHour === 0n) return undefined;
      const whose = { organizationId, projectId, actorId: requestedBy, of: 'extension' } as const;
      return findBlocking(tx, act, whose, [order], payingRules(policies, organizationId));
    },
    checkTags: async (tx, act, { organizationId, projectId, requestedBy }, before, after) =>
      seesAccount(act) ? undefined : tagFault(tx, { organizationId, projectId, actorId: requestedBy }, before, after),
    async hold(tx, act, orders) {
      const { enforced, minimumMinutes } = payingRules(policies, act.organizationId);
      if (!enforced) return;
      const holds = orders
        .map((order) => ({
          allocationId: order.allocationId,
          entryId: ids.next(),
          amount: holdOf(order, minimumMinutes),
        }))
        .filter(({ amount }) => amount > 0n);
      if (holds.length > 0) await placeHolds(tx, holds, act);
    },
    async lockQuote(tx, act, quoteId, launch) {
      const quote = await lockQuote(tx, quoteId, act.projectId);
      if (!quote) return new Fault('quote_not_found', 'There is no such quote in this project.');
      if (quote.used_by !== null) {
        return new Fault('quote_used', 'The quote was used by a launch before: ask for a new one.', {
          allocation_id: quote.used_by,
        });
      }
      if (quote.expired) {
        const expires_at = quote.expires_at.toISOString();
        return new Fault('quote_expired', `The quote was valid until ${expires_at}: ask for a new one.`, {
          expires_at,
        });
      }
      if (quote.sku !== launch.sku || quote.gpu_count !== launch.gpus || quote.region !== launch.region) {
        return new Fault(
          'quote_mismatch',
          `The quote is for ${quote.gpu_count} × ${quote.sku} in ${quote.region}, not for this launch.`,
          { sku: quote.sku, gpus: quote.gpu_count, region: quote.region },
        );
      }
      return { priceId: quote.price_id, unitPriceMinor: quote.unit_price_minor };
    },
    async useQuote(tx, quoteId, allocationId) {
      if ((await markQuoteUsed(tx, quoteId, allocationId)) !== 1)
        throw new Error(`the quote ${quoteId} was used twice`);
    },
  };
}

async function findBlocking(
  tx: ReadTx,
  who: Viewer,
  { of, ...whose }: Whose & { readonly of: 'launch' | 'extension' },
  orders: readonly Pick<Order, 'perHour' | 'seconds' | 'tags'>[],
  { minimumMinutes }: PayingRules,
): Promise<Fault<'budget_exceeded'> | undefined> {
  const counted = await countBudgets(
    tx,
    whose,
    orders.map((order) => ({ order, hold: holdOf(order, minimumMinutes) })),
    holdSeconds({ minimumMinutes }),
  );
  const blocking = counted.find(({ blocks }) => blocks);
  return blocking && sayBudget(blocking, { isSeen: seesAccount(who), of });
}

/** Why the balance does not allow a launch that costs `perHour` more. Figures are for those who see the account. */
export async function balanceFault(
  tx: ReadTx,
  policies: Policies,
  who: Viewer & InOrganization,
  launch: { readonly perHour: bigint; readonly currency: string },
): Promise<Fault<'insufficient_balance'> | undefined> {
  const fault = await figuredFault(tx, policies, who.organizationId, launch);
  if (!fault || seesAccount(who)) return fault;
  return new Fault(
    'insufficient_balance',
    'The balance of the organization does not suffice for this launch. Ask an owner, an administrator or finance.',
  );
}

async function figuredFault(
  tx: ReadTx,
  policies: Policies,
  organizationId: string,
  { perHour, currency }: { readonly perHour: bigint; readonly currency: string },
): Promise<Fault<'insufficient_balance'> | undefined> {
  const { minimumMinutes: minutes } = payingRules(policies, organizationId);
  const [account, burn] = await Promise.all([findStanding(tx, organizationId), readOrdered(tx, organizationId)]);
  const balance = account?.spendable ?? 0n;
  const least = neededFor(burn + perHour, minutes);
  const needed = least > 0n ? least : 1n;
  if (balance >= needed) return announced(policies, organizationId, account, currency);
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
}

/** A release that is announced refuses launches, whatever the minimum runway is. */
function announced(
  policies: Policies,
  organizationId: string,
  account: StandingRow | undefined,
  currency: string,
): Fault<'insufficient_balance'> | undefined {
  if (!account) return undefined;
  const state = stateOf({ ...standingOf(account), used: true }, rulesOf(policies, organizationId));
  if (state !== 'auto_release_pending' && state !== 'depleted') return undefined;
  return new Fault(
    'insufficient_balance',
    `The balance is ${showMoney(account.spendable, currency)} and nearly spent: everything that runs is about to be released. Top up (Billing in the console, or gpuaas billing top-up), or release an allocation.`,
    {
      state,
      balance: money(account.spendable, currency),
      releases_at: account.releases_at?.toISOString() ?? null,
    },
  );
}

import { type Quote, quoteCreate } from '@gpuaas/contract';
import { type Act, type Database, handlers, type InProject, type Mounted, type WriteTx } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import { costMinor, launchLimits, perHourMinor, type ResolvedLaunch, resolveLaunch } from '../../allocations/index.ts';
import type { Policies } from '../../policy/index.ts';
import { type CountedBudget, countBudgets, sayBudget } from '../budgets/count.ts';
import { runwaySeconds } from '../ladder/decide.ts';
import { findStanding } from '../ladder/store.ts';
import { money } from '../money.ts';
import { balanceFault, holdOf, holdSeconds, payingRules } from './launch-money.ts';
import { pastDueFault } from './past-due.ts';
import { seesAccount } from './sees-account.ts';
import { insertQuote } from './store.ts';

interface Parts {
  readonly db: Database;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly policies: Policies;
}
const on = handlers<Parts>();

/** What ends it first, and what it costs until then. */
function endOf(resolved: ResolvedLaunch, perHour: bigint): Quote['ends'] {
  const { seconds, launch, offer, maxSpend } = resolved;
  if (seconds === undefined) return null;
  const because = maxSpend !== undefined && seconds !== launch.max_duration_seconds ? 'max_spend' : 'max_duration';
  return { after_seconds: seconds, because, cost: money(costMinor(perHour, seconds), offer.currency) };
}

const showBudget = ({ row, counted, blocks }: CountedBudget): Quote['budgets'][number] => ({
  id: row.id,
  name: row.name,
  scope: row.scope,
  counted: money(counted, row.currency),
  soft: row.soft_minor === null ? null : money(row.soft_minor, row.currency),
  hard: row.hard_minor === null ? null : money(row.hard_minor, row.currency),
  blocks,
});

/** What the launch would do to the account. */
async function effectOf(tx: WriteTx, act: Act & InProject, parts: Parts, resolved: ResolvedLaunch) {
  const organizationId = act.organizationId;
  const { currency } = resolved.offer;
  const perHour = perHourMinor({ ...resolved.offer, gpu_count: resolved.launch.gpus });
  const rules = payingRules(parts.policies, organizationId);
  const hold = holdOf({ perHour, seconds: resolved.seconds }, rules.minimumMinutes);
  const [standing, budgets, unpaid, poor] = [
    await findStanding(tx, organizationId),
    await countBudgets(tx, act, [{ order: { tags: {} }, hold }], holdSeconds(rules)),
    perHour > 0n ? await pastDueFault(tx, parts.policies, act) : undefined,
    rules.enforced && perHour > 0n ? await balanceFault(tx, parts.policies, act, { perHour, currency }) : undefined,
  ];
  const blocking = budgets.find(({ blocks }) => blocks);
  const isSeen = seesAccount(act);
  const why = blocking ? sayBudget(blocking, { isSeen, of: 'launch' }) : (unpaid ?? poor);
  const held = rules.enforced ? hold : 0n;
  const [spendable, burn] = [standing?.spendable ?? 0n, standing?.per_hour ?? 0n];
  return {
    perHour,
    hold: money(held, currency),
    affordable: why === undefined,
    why_not: why?.message ?? null,
    account: isSeen
      ? {
          balance: money(spendable, currency),
          balance_after: money(spendable - held, currency),
          per_hour_after: money(burn + perHour, currency),
          runway_seconds: runwaySeconds(spendable, burn) ?? null,
          runway_seconds_after: runwaySeconds(spendable, burn + perHour) ?? null,
        }
      : null,
    budgets: budgets.filter(({ row }) => isSeen || row.scope !== 'organization').map(showBudget),
  };
}

const create = on(quoteCreate, (parts, act, { body }) =>
  parts.db.write(act, async (tx) => {
    const resolved = await resolveLaunch(tx, act, body, launchLimits(parts, act));
    if (resolved instanceof Fault) return tx.abandon(resolved);
    const { offer } = resolved;
    const { perHour, ...effect } = await effectOf(tx, act, parts, resolved);
    const id = parts.ids.next();
    const made = await insertQuote(tx, {
      ...{ id, organizationId: act.organizationId, projectId: act.projectId },
      ...{ requestedBy: act.actorId, sku: body.sku, gpus: body.gpus, region: body.region },
      ...{ priceId: offer.price_id, unitPriceMinor: offer.unit_price_minor, currency: offer.currency },
      minutes: parts.policies.number('billing.quote_minutes', act),
    });
    const quote: Quote = {
      ...{ id, project_id: act.projectId, sku: body.sku, gpus: body.gpus, region: body.region },
      price: {
        price_id: offer.price_id,
        unit: offer.billing_unit,
        unit_price: money(offer.unit_price_minor, offer.currency),
        per_hour: money(perHour, offer.currency),
      },
      created_at: made.created_at.toISOString(),
      expires_at: made.expires_at.toISOString(),
      ends: endOf(resolved, perHour),
      ...effect,
    };
    return tx.commit(quote, {
      target: { type: 'quote', id },
      change: { sku: body.sku, gpus: body.gpus, region: body.region, per_hour_minor: perHour.toString() },
      events: 'none',
    });
  }),
);

export const quoteRoutes = (parts: Parts): Mounted[] => [create].map((bind) => bind(parts));

import { allocationCreate, allocationPlan } from '@gpuaas/contract';
import { type Act, handlers, type InProject, type Mounted, type WriteTx } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { type CheckedLaunch, priceOf, requestAllocations } from '../life/request.ts';
import type { AllocationParts, LockedPrice } from '../parts.ts';
import { sayWhy } from '../placement/explain.ts';
import { mayHoldMore, tellQuota } from '../quota/quota.ts';
import { findAllocation, type Login } from '../store.ts';
import { costMinor, money, perHourMinor } from '../views/price.ts';
import { showAllocation, showPlanned } from '../views/show.ts';
import { type LaunchRequest, type ResolvedLaunch, resolveLaunch } from './launch-request.ts';
import { findLogin } from './launch-store.ts';
import { launchLimits } from './limits.ts';

const on = handlers<AllocationParts>();

const plan = on(allocationPlan, async (parts, act, { body }) =>
  parts.db.write(act, async (tx) => {
    const resolved = await resolveLaunch(tx, act, body, launchLimits(parts, act));
    if (resolved instanceof Fault) return tx.abandon(resolved);
    const decision = await parts.placer.plan(tx, resolved);
    const overQuota = await tellQuota(tx, parts.policies, act, body.gpus);
    const feasible = decision.chosen !== null && overQuota === undefined;
    const price = priceOf(resolved);
    const perHour = perHourMinor(price);
    const { seconds } = resolved;
    return tx.commit(
      {
        feasible,
        message: overQuota ?? (decision.chosen ? 'Capacity available.' : sayWhy(decision)),
        price: {
          price_id: resolved.offer.price_id,
          unit: price.billing_unit,
          unit_price: money(price.unit_price_minor, price.currency),
          per_hour: money(perHour, price.currency),
        },
        projected: seconds === undefined ? null : money(costMinor(perHour, seconds), price.currency),
        profile: resolved.profile,
        decision: showPlanned(decision, parts.clock.now()),
      },
      {
        target: { type: 'project', id: act.projectId },
        change: { sku: body.sku, gpus: body.gpus, region: body.region, feasible },
        events: 'none',
      },
    );
  }),
);

const create = on(allocationCreate, async (parts, act, { body: { queue, quote_id: quoteId, ...launch } }) =>
  parts.db.write(act, async (tx) => {
    const locked = quoteId === undefined ? undefined : await parts.money.lockQuote(tx, act, quoteId, launch);
    if (locked instanceof Fault) return tx.abandon(locked);
    // Sent together: neither needs the answer of the other.
    const [refused, checked] = await Promise.all([
      mayHoldMore(tx, parts, act, { allocations: 1, gpus: launch.gpus }),
      checkLaunch(tx, parts, act, launch, locked),
    ]);
    if (refused) return tx.abandon(refused);
    if (checked instanceof Fault) return tx.abandon(checked);
    const made = await requestAllocations(tx, parts, act, [checked], { maxWaitSeconds: queue?.max_wait_seconds });
    if (made instanceof Fault) return tx.abandon(made);
    const row = await findAllocation(tx, made.ids[0] ?? '');
    if (!row) throw new Error('an allocation was not stored');
    if (quoteId !== undefined) await parts.money.useQuote(tx, quoteId, row.id);
    return tx.commit(showAllocation(row, parts.limits(act)), {
      target: { type: 'allocation', id: row.id },
      change: { sku: row.sku, gpus: row.gpu_count, region: row.region, placement_status: row.placement_status },
      events: made.events,
    });
  }),
);

/** Checks a launch request against the catalog and reads the login of its requester, in one round trip each. */
export async function checkLaunch(
  tx: WriteTx,
  parts: AllocationParts,
  act: Act & InProject,
  launch: LaunchRequest,
  locked?: LockedPrice,
): Promise<CheckedLaunch | Exclude<Awaited<ReturnType<typeof resolveLaunch>>, ResolvedLaunch>> {
  const [resolved, login] = await Promise.all([
    resolveLaunch(tx, act, launch, launchLimits(parts, act), locked),
    loginOf(tx, parts, act),
  ]);
  return resolved instanceof Fault ? resolved : { resolved, login };
}

/** The requester's login on hosts. Ids of people begin after the base, so the base is free for requesters without one. */
async function loginOf(tx: WriteTx, { policies }: AllocationParts, act: Act): Promise<Login> {
  const found = await findLogin(tx, act.actorId);
  const base = policies.number('tenancy.posix_uid_base');
  return found ?? { username: 'gpuaas', uid: base, gid: base };
}

export const createRoutes = (parts: AllocationParts): Mounted[] => [plan, create].map((bind) => bind(parts));

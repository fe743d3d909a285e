import { type DeclaredEvent, provisioningQueued } from '@gpuaas/contract';
import type { Act, InProject, WriteTx } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { secondMs } from '../../../kernel/units.ts';
import type { ResolvedLaunch } from '../launch/launch-request.ts';
import { insertKeys, type KeyRow } from '../launch/launch-store.ts';
import type { AllocationParts } from '../parts.ts';
import type { Decision } from '../placement/decide.ts';
import { redact, sayWhy } from '../placement/explain.ts';
import { insertPlacementRecords } from '../placement/placement-records-store.ts';
import { makeReserveForNew } from '../placement/reserve-for-new.ts';
import type { UnplacedAllocation } from '../slots/slots.ts';
import { type AllocationRow, insertAllocation, type Login } from '../store.ts';
import { perHourMinor } from '../views/price.ts';
import { placeAllocations } from './place.ts';

/** A launch request that passed the catalog, and the login of its requester. */
export interface CheckedLaunch {
  readonly resolved: ResolvedLaunch;
  readonly login: Login;
}
export interface RequestedAllocations {
  readonly ids: readonly string[];
  readonly events: readonly DeclaredEvent[];
}
type Refusal = Fault<
  'sku_unavailable' | 'insufficient_balance' | 'budget_exceeded' | 'invoice_past_due' | 'duration_invalid'
>;

/**
 * Creates allocations in the caller's transaction: each with a place and the task for its node, or one that waits in the
 * queue, or none and a reason. Each kind of row is written in one statement, however many allocations there are.
 */
export async function requestAllocations(
  tx: WriteTx,
  parts: AllocationParts,
  act: Act & InProject,
  launches: readonly CheckedLaunch[],
  how: { readonly groupId?: string; readonly maxWaitSeconds?: number | undefined },
): Promise<RequestedAllocations | Refusal> {
  const longestWait = parts.policies.number('allocation.queue_max_wait_seconds', act);
  if (how.maxWaitSeconds !== undefined && how.maxWaitSeconds > longestWait) {
    return new Fault('duration_invalid', `A request waits at most ${longestWait} seconds.`, {
      max_wait_seconds: longestWait,
    });
  }
  const queueDeadlineAt = new Date(parts.clock.now().getTime() + (how.maxWaitSeconds ?? 0) * secondMs);
  const allocations = launches.map((launch) => ({
    ...draftAllocation(parts, act, launch, how.groupId ?? null),
    // Also for an allocation that has a place: if its launch fails, it may wait in the queue for another host.
    queue_deadline_at: how.maxWaitSeconds === undefined ? null : queueDeadlineAt,
  }));
  const orders = launches.map(({ resolved }, at) => ({
    allocationId: allocations[at]?.id ?? '',
    perHour: perHourMinor(priceOf(resolved)),
    currency: resolved.offer.currency,
    seconds: resolved.seconds,
    tags: resolved.launch.tags ?? {},
  }));
  const unaffordable = await parts.money.check(tx, act, orders);
  if (unaffordable) return unaffordable;
  const places = await parts.placer.reserve(
    tx,
    launches.map(({ resolved }) => resolved),
    makeReserveForNew(tx, parts.ids, allocations),
  );
  const missing = places.find(({ reservation }) => !reservation);
  if (missing && how.maxWaitSeconds === undefined) {
    return new Fault('sku_unavailable', sayWhy(missing.decision), redact(missing.decision));
  }
  const created = allocations.flatMap((allocation, at) => {
    const place = places[at];
    return place ? [{ allocation, place, keys: launches[at]?.resolved.keys ?? [] }] : [];
  });
  const placements = created.flatMap(({ allocation, place }) =>
    place.reservation ? [{ ...place, allocation, isNew: true }] : [],
  );
  const waiting = created.filter(({ place }) => !place.reservation);
  for (const { allocation } of waiting) {
    const queued = { placement_status: 'queued', node_id: null, generation: 0 } as const;
    await insertAllocation(tx, { ...allocation, ...queued });
  }
  // Sent together, in this order: the keys are there when the allocations are read for their tasks.
  const [, placed, queued] = await Promise.all([
    Promise.all(created.map(({ allocation, keys }) => keepKeys(tx, allocation, keys))),
    placements.length > 0 ? placeAllocations(tx, parts, act.correlationId, placements) : [],
    queueAllocations(tx, parts, act, waiting),
  ]);
  await parts.money.hold(tx, act, orders);
  return { ids: allocations.map(({ id }) => id), events: [...placed, ...queued] };
}

const keepKeys = async (tx: WriteTx, { id, organization_id }: UnplacedAllocation, keys: readonly KeyRow[]) =>
  keys.length > 0 ? insertKeys(tx, id, organization_id, keys) : 0;

/** New allocations that wait: the decision that found no place, and the event. They have their first version. */
async function queueAllocations(
  tx: WriteTx,
  { ids }: AllocationParts,
  act: Act & InProject,
  waiting: readonly { readonly allocation: UnplacedAllocation; readonly place: { readonly decision: Decision } }[],
): Promise<DeclaredEvent[]> {
  if (waiting.length === 0) return [];
  const records = waiting.map(({ allocation, place: { decision } }) => ({
    ...{ allocation, decision, reservation: undefined, outcome: 'queued' as const, isNew: true },
  }));
  await insertPlacementRecords(tx, ids, act.correlationId, records);
  return waiting.map(({ allocation }) => {
    const { id, organization_id, project_id, sku, gpu_count, region, queue_deadline_at } = allocation;
    if (!queue_deadline_at) throw new Error(`allocation ${id} waits without a deadline`);
    return provisioningQueued.of(id, {
      ...{ allocation_id: id, organization_id, project_id, version: 1, sku, gpu_count, region },
      queue_deadline_at: queue_deadline_at.toISOString(),
    });
  });
}

export const priceOf = ({ offer, launch }: ResolvedLaunch) => ({
  billing_unit: offer.billing_unit,
  unit_price_minor: offer.unit_price_minor,
  currency: offer.currency,
  gpu_count: launch.gpus,
});

/** The row of a new allocation, without its place. */
function draftAllocation(
  parts: AllocationParts,
  act: Act & InProject,
  { resolved, login }: CheckedLaunch,
  groupId: string | null,
): Omit<UnplacedAllocation, 'queue_deadline_at'> {
  const { offer, launch } = resolved;
  const id = parts.ids.next();
  return {
    id,
    organization_id: act.organizationId,
    project_id: act.projectId,
    group_id: groupId,
    name: launch.name ?? `${launch.sku}-${id.slice(-nameTail.length)}`,
    tags: launch.tags ?? {},
    requested_by: act.actorId,
    sku: launch.sku,
    capacity_shape: offer.capacity_shape,
    gpu_count: launch.gpus,
    region: launch.region,
    profile: resolved.profile,
    image_id: offer.image_id,
    price_id: offer.price_id,
    unit_price_minor: offer.unit_price_minor,
    currency: offer.currency,
    isolation_model: parts.policies.value('allocation.isolation_model', act) as AllocationRow['isolation_model'],
    login,
    max_duration_seconds: resolved.seconds ?? null,
    max_spend_minor: resolved.maxSpend ?? null,
    idle_minutes: launch.idle?.minutes ?? null,
    idle_action: launch.idle?.action ?? null,
    max_attempts: parts.policies.number('allocation.launch_retries', act) + 1,
  };
}

/** As long as the tail of an id that tells two allocations of one project apart. */
const nameTail = 'xxxxxx';

import { type DeclaredEvent, provisioningQueued, provisioningRequested } from '@gpuaas/contract';
import type { Act, WriteTx } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { secondMs } from '../../../kernel/units.ts';
import type { ResolvedLaunch } from '../launch/launch-request.ts';
import type { AllocationParts } from '../parts.ts';
import { redact, sayWhy } from '../placement/explain.ts';
import type { UnplacedAllocation } from '../slots/slots.ts';
import { type AllocationRow, insertAllocation, type Login } from '../store.ts';
import { queueTaskFor } from '../tasks/node-task.ts';
import { provisionTask } from '../tasks/provision-task.ts';
import { perHourMinor } from '../views/price.ts';
import { makeClaim } from './claim.ts';
import { insertCreationRecords } from './creation-records.ts';
import { readLeased } from './leased.ts';

/** A launch request that passed the catalog, and the login of its requester. */
export interface CheckedLaunch {
  readonly resolved: ResolvedLaunch;
  readonly login: Login;
}
export interface RequestedAllocations {
  readonly ids: readonly string[];
  readonly events: readonly DeclaredEvent[];
}
type Refusal = Fault<'sku_unavailable' | 'insufficient_balance' | 'duration_invalid'>;

/**
 * Creates allocations in the caller's transaction: each with a place and the task for its node, or one that waits in the
 * queue, or none and a reason. Each kind of row is written in one statement, however many allocations there are.
 */
export async function requestAllocations(
  tx: WriteTx,
  parts: AllocationParts,
  act: Act,
  launches: readonly CheckedLaunch[],
  how: { readonly groupId?: string; readonly maxWaitSeconds?: number | undefined },
): Promise<RequestedAllocations | Refusal> {
  const longestWait = parts.policies.number('allocation.queue_max_wait_seconds', act);
  if (how.maxWaitSeconds !== undefined && how.maxWaitSeconds > longestWait) {
    return new Fault('duration_invalid', `A request waits at most ${longestWait} seconds.`, {
      max_wait_seconds: longestWait,
    });
  }
  const organizationId = act.organizationId as string;
  const prices = launches.map(({ resolved }) => priceOf(resolved));
  const unaffordable = await parts.mayAfford(tx, {
    organizationId,
    perHour: prices.reduce((sum, price) => sum + perHourMinor(price), 0n),
    currency: prices[0]?.currency ?? '',
  });
  if (unaffordable) return unaffordable;
  const queueDeadlineAt = new Date(parts.clock.now().getTime() + (how.maxWaitSeconds ?? 0) * secondMs);
  const allocations = launches.map((launch) => ({
    ...draftAllocation(parts, act, launch, how.groupId ?? null),
    // Also for an allocation that has a place: if its launch fails, it may wait in the queue for another host.
    queue_deadline_at: how.maxWaitSeconds === undefined ? null : queueDeadlineAt,
  }));
  const places = await parts.placer.place(
    tx,
    launches.map(({ resolved }) => resolved),
    makeClaim(tx, parts.ids, allocations),
  );
  const missing = places.find(({ reservation }) => !reservation);
  if (missing && how.maxWaitSeconds === undefined) {
    return new Fault('sku_unavailable', sayWhy(missing.decision), redact(missing.decision));
  }
  const created = allocations.flatMap((allocation, at) => {
    const place = places[at];
    return place ? [{ allocation, place, keys: launches[at]?.resolved.keys ?? [] }] : [];
  });
  for (const { allocation, place } of created) {
    if (place.reservation) continue;
    const queued = { placement_status: 'queued', node_id: null, generation: 0 } as const;
    await insertAllocation(tx, { ...allocation, ...queued });
  }
  const placed = created.filter(({ place }) => place.reservation).map(({ allocation: { id } }) => id);
  await Promise.all([
    insertCreationRecords(tx, parts.ids, act, created),
    ...placed.map((id) => queueProvisionTask(tx, parts, act, id)),
  ]);
  return {
    ids: allocations.map(({ id }) => id),
    events: created.map(({ allocation, place: { reservation } }) => {
      const { id, project_id, sku, gpu_count, region } = allocation;
      const version = reservation ? firstVersion + 1 : firstVersion;
      const about = { allocation_id: id, organization_id: organizationId, project_id, version };
      const what = { sku, gpu_count, region };
      return reservation
        ? provisioningRequested.of(id, {
            ...{ ...about, ...what, node_id: reservation.nodeId, generation: reservation.generation },
            simulated: reservation.simulated,
          })
        : provisioningQueued.of(id, { ...about, ...what, queue_deadline_at: queueDeadlineAt.toISOString() });
    }),
  };
}

const firstVersion = 1;

async function queueProvisionTask(tx: WriteTx, parts: AllocationParts, act: Act, id: string): Promise<void> {
  const leased = await readLeased(tx, id);
  const queued = leased && (await queueTaskFor(tx, parts, leased, provisionTask(parts), act));
  if (typeof queued !== 'string') throw new Error(`allocation ${id} has a place and its node cannot be asked`);
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
  act: Act,
  { resolved, login }: CheckedLaunch,
  groupId: string | null,
): Omit<UnplacedAllocation, 'queue_deadline_at'> {
  const { offer, launch } = resolved;
  const id = parts.ids.next();
  return {
    id,
    organization_id: act.organizationId as string,
    project_id: act.projectId as string,
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
    max_duration_seconds: launch.max_duration_seconds ?? null,
    idle_minutes: launch.idle?.minutes ?? null,
    idle_action: launch.idle?.action ?? null,
    max_attempts: parts.policies.number('allocation.launch_retries', act) + 1,
  };
}

/** As long as the tail of an id that tells two allocations of one project apart. */
const nameTail = 'xxxxxx';

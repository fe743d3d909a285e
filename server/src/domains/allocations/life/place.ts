import { type DeclaredEvent, provisioningRequested } from '@gpuaas/contract';
import type { WriteTx } from '../../../kernel/act.ts';
import { isClosed } from '../../../kernel/process/failpoint.ts';
import type { Decision } from '../placement/decide.ts';
import { insertPlacementRecords } from '../placement/placement-records-store.ts';
import { claimSlots, kindOf, type Reservation, type UnplacedAllocation } from '../slots/slots.ts';
import { queueTaskFor } from '../tasks/node-task.ts';
import { provisionTask } from '../tasks/provision-task.ts';
import { readLeased } from './leased.ts';
import type { LifeParts } from './parts.ts';

/** An allocation whose slots the transaction has reserved, and the decision that chose them. */
export interface Placement {
  readonly allocation: Pick<
    UnplacedAllocation,
    'id' | 'organization_id' | 'project_id' | 'sku' | 'gpu_count' | 'region' | 'capacity_shape'
  >;
  readonly reservation: Reservation;
  readonly decision: Decision;
  /** A new allocation has its claims already: reserve-for-new.ts writes them in the statement that writes its row. */
  readonly isNew: boolean;
}

/**
 * Gives allocations their places, in the transaction that reserved their slots: claims the slots, writes the decision and
 * the timeline, and queues the task for the node, which moves the allocation to `provisioning`. Answers the events. A new
 * request, the queue and a retry all place through this function, so their launches take the same time.
 *
 * The caller has written the node and the generation of the reservation to the rows of the allocations.
 */
export async function placeAllocations(
  tx: WriteTx,
  parts: LifeParts,
  correlationId: string,
  placements: readonly Placement[],
): Promise<DeclaredEvent[]> {
  // Sent together, in this order: nothing that is read depends on an answer of these.
  const [, , ...events] = await Promise.all([
    claimThose(tx, parts, placements),
    insertPlacementRecords(
      tx,
      parts.ids,
      correlationId,
      placements.map((placement) => ({ ...placement, outcome: 'placed' as const })),
    ),
    ...placements.map((placement) => queueProvisionTask(tx, parts, correlationId, placement)),
  ]);
  return events;
}

const claimThose = (tx: WriteTx, { ids }: LifeParts, placements: readonly Placement[]) =>
  Promise.all(
    placements
      .filter(({ isNew }) => !isNew)
      .map(({ allocation, reservation }) =>
        claimSlots(tx, {
          ...{ ...reservation, ids, kind: kindOf(allocation) },
          ...{ allocationId: allocation.id, organizationId: allocation.organization_id },
        }),
      ),
  );

async function queueProvisionTask(
  tx: WriteTx,
  parts: LifeParts,
  correlationId: string,
  { allocation: { id, sku, gpu_count, region }, reservation }: Placement,
): Promise<DeclaredEvent> {
  const leased = await readLeased(tx, id);
  const isAhead = !isClosed('life.ahead');
  const queued = leased && isAhead && (await queueTaskFor(tx, parts, leased, provisionTask(parts), { correlationId }));
  if (!leased || (isAhead && typeof queued !== 'string'))
    throw new Error(`allocation ${id} has a place and its node cannot be asked`);
  return provisioningRequested.of(id, {
    ...{ allocation_id: id, organization_id: leased.organizationId, project_id: leased.projectId },
    // The task moves it to `provisioning`, which is one version more than was read.
    version: leased.version + (isAhead ? 1 : 0),
    ...{ sku, gpu_count, region, node_id: reservation.nodeId, generation: reservation.generation },
    simulated: reservation.simulated,
  });
}

import type { WriteTx } from '../../../kernel/act.ts';
import type { Ids } from '../../../kernel/id.ts';
import {
  claimSlots,
  kindOf,
  type Reservation,
  reserveForNewAllocations,
  reserveSlots,
  type UnplacedAllocation,
} from '../slots/slots.ts';
import { insertAllocation } from '../store.ts';
import type { ReserveSlots } from './placer.ts';

/**
 * Reserves slots for new allocations and inserts the allocations with their claims. Without waiting this is one statement for
 * all of them. With waiting the slots are locked first and the rows written afterwards, because a slot that was waited for
 * may have changed.
 */
export const makeReserveForNew =
  (tx: WriteTx, ids: Ids, allocations: readonly UnplacedAllocation[]): ReserveSlots =>
  async (picks, { wait, lostAfterSeconds }) => {
    const named = picks.flatMap(({ at, slotIds, request }) => {
      const allocation = allocations[at];
      return allocation ? [{ allocation, slotIds, request }] : [];
    });
    if (!wait) return reserveForNewAllocations(tx, named, { ids, lostAfterSeconds });
    const reservations: (Reservation | undefined)[] = [];
    for (const { allocation, slotIds, request } of named) {
      const { id: allocationId, organization_id: organizationId } = allocation;
      const reservation = await reserveSlots(tx, { allocationId, slotIds, wait, lostAfterSeconds, newcomer: request });
      reservations.push(reservation);
      if (!reservation) continue;
      const { nodeId, generation } = reservation;
      const placed = { placement_status: 'reserved', node_id: nodeId, generation } as const;
      await Promise.all([
        insertAllocation(tx, { ...allocation, ...placed }),
        claimSlots(tx, { ...reservation, ids, allocationId, organizationId, kind: kindOf(allocation) }),
      ]);
    }
    return reservations;
  };

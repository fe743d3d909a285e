import type { WriteTx } from '../../../kernel/act.ts';
import type { Ids } from '../../../kernel/id.ts';
import type { Take } from '../placement/place.ts';
import { claimSlots, kindOf, type Reservation, reserveSlots, takeSlots, type Unplaced } from '../slots/slots.ts';
import { insertAllocation } from '../store.ts';

/**
 * Takes slots for allocations that are not there yet, and writes them down with their claims. At best this is one
 * statement for all of them; whoever waits for others locks first and writes afterwards, for a row that was waited for
 * may have changed. Picks are answered by the allocations' places in the list.
 */
export const makeClaim =
  (tx: WriteTx, ids: Ids, allocations: readonly Unplaced[]): Take =>
  async (picks, { wait, lostAfterSeconds }) => {
    const named = picks.flatMap(({ at, slotIds, request }) => {
      const allocation = allocations[at];
      return allocation ? [{ allocation, slotIds, request }] : [];
    });
    if (!wait) return takeSlots(tx, named, { ids, lostAfterSeconds });
    const reservations: (Reservation | undefined)[] = [];
    for (const { allocation, slotIds } of named) {
      const { id: allocationId, organization_id: organizationId } = allocation;
      const reservation = await reserveSlots(tx, { allocationId, slotIds, wait });
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

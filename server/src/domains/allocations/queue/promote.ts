import { Fault } from '../../../kernel/fault.ts';
import { updateFacts } from '../life/machine.ts';
import { placeAllocations } from '../life/place.ts';
import { reserveSlots } from '../slots/slots.ts';
import { holdAllocation } from '../store.ts';
import { taskTimes } from '../task-times.ts';
import { originOf, type QueueParts } from './parts.ts';
import type { LinePlan } from './plan.ts';
import { dropHostReservationOf, type QueueRow } from './store.ts';

/** Gives a waiting request the slots that the plan of its line found, and asks its node, in one transaction. */
export async function promote(parts: QueueParts, waiting: QueueRow, start: LinePlan['starts'][number]): Promise<void> {
  const act = parts.begin('allocation.promote', originOf(parts, waiting));
  await parts.db.write(act, async (tx) => {
    const row = await holdAllocation(tx, waiting.id);
    if (row?.placement_status !== 'queued' || row.state !== 'requested') {
      return tx.abandon(new Fault('illegal_transition', 'The request does not wait any more.'));
    }
    const lostAfterSeconds = parts.policies.number('node.lost_after_seconds');
    const reservation = await reserveSlots(tx, {
      ...{ allocationId: row.id, slotIds: start.slotIds, wait: true, lostAfterSeconds, newcomer: undefined },
    });
    // Another request took the slots meanwhile: the next round plans again.
    if (!reservation) return tx.abandon(new Fault('sku_unavailable', 'Its slots were taken meanwhile.'));
    await dropHostReservationOf(tx, row.id);
    const { nodeId, generation } = reservation;
    await updateFacts(tx, row.id, { placementStatus: 'reserved', nodeId, generation });
    const life = { ...parts, ...taskTimes(parts.policies) };
    const placement = { allocation: row, reservation, decision: start.decision, isNew: false };
    const events = await placeAllocations(tx, life, act.correlationId, [placement]);
    return tx.commit(undefined, {
      target: { type: 'allocation', id: row.id },
      change: { placement_status: ['queued', 'reserved'] },
      events,
    });
  });
}

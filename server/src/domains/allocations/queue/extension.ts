import { type Act, systemViewer } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { AllocationParts } from '../parts.ts';
import type { AllocationRow } from '../store.ts';
import { lineSql, slotsSql } from './extension-store.ts';
import { readLine } from './line.ts';
import { expectedStart, onlySlots } from './plan.ts';
import type { LineRow } from './store.ts';

/**
 * Refuses to extend an allocation when another request has reserved its slots and would start later for it. The refusal does
 * not say whose request that is.
 */
export async function whoWaitsFor(
  parts: AllocationParts,
  act: Act,
  row: AllocationRow,
  expiresAt: Date,
): Promise<Fault<'duration_invalid'> | undefined> {
  // It reads requests of all tenants, as the queue does, and reveals only that there is one.
  return parts.db.read(systemViewer('allocations', act), async (tx) => {
    const [line] = await tx.rows<LineRow>(lineSql, [row.node_id]);
    if (!line) return undefined;
    const view = await readLine(tx, line, {
      now: parts.clock.now(),
      ageingSeconds: parts.policies.number('allocation.queue_ageing_seconds'),
      provisionSeconds: parts.taskSeconds('provision'),
      lostAfterSeconds: parts.policies.number('node.lost_after_seconds'),
      imageRequired: parts.policies.value('allocation.image_cache_required'),
      batch: parts.policies.number('allocation.queue_batch'),
    });
    const { reservation } = view;
    const waiter = reservation && view.waiters.find(({ id }) => id === reservation.allocationId);
    const host = reservation && view.hosts.find(({ node }) => node.id === reservation.nodeId);
    if (!waiter || !host || host.node.id !== row.node_id) return undefined;
    const slots = await tx.rows<{ id: string }>(slotsSql, [row.id, row.generation, row.node_id]);
    const ends = new Map([...host.ends, ...slots.map(({ id }) => [id, expiresAt] as const)]);
    // The request is delayed only by a later end on its reserved slots.
    const [before, after] = [host, { ...host, ends }].map((each) =>
      expectedStart(waiter.request, onlySlots(each, reservation.slotIds), view.now),
    );
    const isDelayed = before !== undefined && (after === undefined || after > before);
    if (!isDelayed) return undefined;
    return new Fault(
      'duration_invalid',
      `Another request waits for its GPUs: it can last until ${before.toISOString()} at most.`,
      { latest_end_at: before.toISOString() },
    );
  });
}

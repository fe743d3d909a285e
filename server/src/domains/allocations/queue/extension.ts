import { type Act, sql, systemViewer } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { AllocationParts } from '../parts.ts';
import type { AllocationRow } from '../store.ts';
import { readLine } from './line.ts';
import { expectedStart, onlySlots } from './plan.ts';
import type { LineRow } from './store.ts';

const lineSql = sql(
  'queue-line-of-host',
  `select r.sku, r.region, coalesce(k.resource_profile ->> 'fabric', 'none') <> 'none' as fabric
   from queue_reservations r join skus k on k.slug = r.sku where r.node_id = $1`,
);
const slotsSql = sql(
  'allocation-slots-of-lease',
  'select id from slots where allocation_id = $1 and generation = $2 and node_id = $3',
);

/**
 * Why an allocation may not end later: another request has reserved its slots and would start later for it. What does not
 * delay that request may be extended. Who waits is not said.
 */
export async function whoWaitsFor(
  parts: AllocationParts,
  act: Act,
  row: AllocationRow,
  expiresAt: Date,
): Promise<Fault<'duration_invalid'> | undefined> {
  // Requests of all tenants are looked at, as the queue does; nothing of them is told but that there is one.
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
    // Only an end later on the slots that are reserved delays the request.
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

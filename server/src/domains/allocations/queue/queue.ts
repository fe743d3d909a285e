import { provisioningFailed, provisioningRequested } from '@gpuaas/contract';
import type { BeginAct, Database } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import { makeApart, type Reconciler, startReconciler } from '../../../kernel/process/reconciler.ts';
import type { Log } from '../../../kernel/telemetry/log.ts';
import type { Metrics } from '../../../kernel/telemetry/metrics.ts';
import type { Policies } from '../../policy/index.ts';
import { capacityChannel, queueEveryMs } from '../facts.ts';
import { advanceAllocation, noteAllocation, updateFacts } from '../life/machine.ts';
import { claimSlots, kindOf, reserveSlots } from '../slots/slots.ts';
import { holdAllocation, insertDecision } from '../store.ts';
import { taskTimes } from '../task-times.ts';
import { readLine, systemView, writeReservation } from './line.ts';
import { type LinePlan, planLine } from './plan.ts';
import { dropReservationOf, type LateRow, type LineRow, listLate, listLines, type QueueRow } from './store.ts';

interface QueueParts {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly policies: Policies;
  readonly log: Log;
  readonly metrics: Metrics;
}

/**
 * Gives capacity that came free to those who wait. Each line, which is one SKU in one region, is read once and planned for
 * all who wait in it; a long or hopeless line holds up no other, and rounds begin with another line each time. Whoever
 * waited until the deadline fails, with a reason.
 */
export function makeQueue(parts: QueueParts): Reconciler {
  const { db, policies } = parts;
  const apart = makeApart('allocation-queue', parts);
  let turn = 0;
  return {
    name: 'allocation-queue',
    async round(signal) {
      const limit = policies.number('allocation.queue_batch');
      const [late, lines] = await db.read(systemView(parts), async (tx) => [
        await listLate(tx, limit),
        await listLines(tx),
      ]);
      let given = 0;
      for (const row of late) {
        if (signal.aborted) return 'idle';
        await apart({ allocation: row.id }, async () => {
          await giveUp(parts, row);
          given += 1;
        });
      }
      turn += 1;
      const first = lines.length > 0 ? turn % lines.length : 0;
      for (const line of [...lines.slice(first), ...lines.slice(0, first)]) {
        if (signal.aborted) return 'idle';
        // A line that cannot be served holds up no other.
        await apart({ sku: line.sku, region: line.region }, () => serve(parts, line, signal));
      }
      return late.length === limit && given > 0 ? 'more' : 'idle';
    },
  };
}

async function serve(parts: QueueParts, line: LineRow, signal: AbortSignal): Promise<void> {
  const { policies } = parts;
  const view = await parts.db.read(systemView(parts), (tx) =>
    readLine(tx, line, {
      now: parts.clock.now(),
      ageingSeconds: policies.number('allocation.queue_ageing_seconds'),
      provisionSeconds: taskTimes(policies).taskSeconds('provision'),
      lostAfterSeconds: policies.number('node.lost_after_seconds'),
      imageRequired: policies.value('allocation.image_cache_required'),
      batch: policies.number('allocation.queue_batch'),
    }),
  );
  const plan = planLine(view);
  for (const start of plan.starts) {
    if (signal.aborted) return;
    const row = view.rows.get(start.id);
    if (row) await promote(parts, row, start);
  }
  await writeReservation(parts, line, view, plan);
}

const origin = (parts: QueueParts, row: LateRow) => ({
  correlationId: parts.ids.next(),
  organizationId: row.organization_id,
  projectId: row.project_id,
});
const gone = () => new Fault('illegal_transition', 'It does not wait any more.');
const full = () => new Fault('sku_unavailable', 'Nothing is free for it yet.');

async function promote(parts: QueueParts, waiting: QueueRow, start: LinePlan['starts'][number]): Promise<void> {
  const act = parts.begin('allocation.promote', origin(parts, waiting));
  await parts.db.write(act, async (tx) => {
    const row = await holdAllocation(tx, waiting.id);
    if (row?.placement_status !== 'queued' || row.state !== 'requested') return tx.abandon(gone());
    const reservation = await reserveSlots(tx, { allocationId: row.id, slotIds: start.slotIds, wait: true });
    // Somebody took them meanwhile: the next round looks again.
    if (!reservation) return tx.abandon(full());
    await dropReservationOf(tx, row.id);
    const placed = { reservation, decision: start.decision };
    const { nodeId, generation } = placed.reservation;
    const version = await updateFacts(tx, row.id, { placementStatus: 'reserved', nodeId, generation });
    if (version === undefined) return tx.abandon(gone());
    const organizationId = row.organization_id;
    const kind = kindOf(row);
    await claimSlots(tx, { ...placed.reservation, ids: parts.ids, allocationId: row.id, organizationId, kind });
    const decision = { id: parts.ids.next(), allocationId: row.id, organizationId, document: placed.decision };
    await insertDecision(tx, { ...decision, outcome: 'placed' });
    const note = { ids: parts.ids, correlationId: act.correlationId, kind: 'note' } as const;
    await noteAllocation(tx, row.id, { ...note, name: 'placement_reserved', detail: { generation } });
    return tx.commit(undefined, {
      target: { type: 'allocation', id: row.id },
      change: { placement_status: ['queued', 'reserved'] },
      events: [
        provisioningRequested.of(row.id, {
          ...{ allocation_id: row.id, organization_id: organizationId, project_id: row.project_id, version },
          ...{ sku: row.sku, gpu_count: row.gpu_count, region: row.region, node_id: nodeId, generation },
          simulated: placed.reservation.simulated,
        }),
      ],
    });
  });
}

async function giveUp(parts: QueueParts, waiting: LateRow): Promise<void> {
  const act = parts.begin('allocation.give_up', origin(parts, waiting));
  await parts.db.write(act, async (tx) => {
    const row = await holdAllocation(tx, waiting.id);
    if (row?.placement_status !== 'queued' || row.state !== 'requested') return tx.abandon(gone());
    await dropReservationOf(tx, row.id);
    const failureReason = 'Nothing came free in the time that it was willing to wait.';
    const moved = await advanceAllocation(tx, row.id, 'fail', {
      ...{ ids: parts.ids, correlationId: act.correlationId },
      set: { failureCode: 'queue_timeout', failureReason },
    });
    if (!moved) return tx.abandon(gone());
    if (moved instanceof Fault) return tx.abandon(moved);
    return tx.commit(undefined, {
      target: { type: 'allocation', id: row.id },
      change: { state: [moved.from, moved.to] },
      events: [
        provisioningFailed.of(row.id, {
          ...{ allocation_id: row.id, organization_id: row.organization_id, project_id: row.project_id },
          ...{ version: moved.version, failure_code: 'queue_timeout', failure_reason: failureReason },
        }),
      ],
    });
  });
}

/** The queue at work, woken whenever slots come free. */
export async function openQueue(
  parts: QueueParts & {
    readonly listen: (channel: string, listener: (payload: string) => void) => Promise<{ close(): Promise<void> }>;
  },
): Promise<{ close(): Promise<void> }> {
  const running = startReconciler(makeQueue(parts), { ...parts, everyMs: queueEveryMs });
  const listening = await parts.listen(capacityChannel, running.wake);
  return {
    async close() {
      await listening.close();
      await running.close();
    },
  };
}

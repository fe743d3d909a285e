import { provisioningFailed, provisioningRequested } from '@gpuaas/contract';
import { type BeginAct, type Database, systemViewer } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import type { Log } from '../../kernel/log.ts';
import { type Reconciler, startReconciler } from '../../kernel/reconciler.ts';
import { secondMs } from '../../kernel/units.ts';
import type { Policies } from '../policy/index.ts';
import { capacityChannel, queueEveryMs } from './facts.ts';
import { advanceAllocation, noteAllocation, stateFacts } from './machine.ts';
import { openPlacer } from './placement/open.ts';
import type { Placer } from './placement/place.ts';
import { listQueue, type QueueRow } from './queue-store.ts';
import { claimSlots, kindOf, reserveSlots } from './slots.ts';
import { type AllocationRow, holdAllocation, insertDecision } from './store.ts';
import { readOffer } from './wish-store.ts';

interface QueueParts {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly policies: Policies;
  readonly placer: Placer;
}

/**
 * Gives capacity that came free to those who wait, in their order, a bounded number at a time. A request that does not fit
 * lets smaller ones behind it through, but only while it is young: from then on it is kept free for what it needs, so that
 * nobody is overtaken for ever. Whoever waited until the deadline fails, with a reason.
 */
export function makeQueue(parts: QueueParts): Reconciler {
  const { db, clock, policies } = parts;
  return {
    name: 'allocation-queue',
    async round(signal) {
      const ageingSeconds = policies.number('allocation.queue_ageing_seconds');
      const limit = policies.number('allocation.queue_batch');
      const waiting = await db.read(systemViewer('allocation-queue', { correlationId: parts.ids.next() }), (tx) =>
        listQueue(tx, { ageingSeconds, limit }),
      );
      const closed = new Set<string>();
      let settled = 0;
      for (const row of waiting) {
        if (signal.aborted) break;
        const now = clock.now();
        const line = `${row.sku} ${row.region}`;
        const isLate = row.queue_deadline_at <= now;
        if (closed.has(line) && !isLate) continue;
        const outcome = isLate ? await giveUp(parts, row) : await promote(parts, row);
        if (outcome === 'settled') settled += 1;
        const waitedMs = now.getTime() - row.created_at.getTime();
        if (outcome === 'waits' && waitedMs >= ageingSeconds * secondMs) closed.add(line);
      }
      return settled > 0 && waiting.length === limit ? 'more' : 'idle';
    },
  };
}

const origin = (parts: QueueParts, row: QueueRow) => ({
  correlationId: parts.ids.next(),
  organizationId: row.organization_id,
  projectId: row.project_id,
});
const gone = () => new Fault('illegal_transition', 'It does not wait any more.');
const full = () => new Fault('sku_unavailable', 'Nothing is free for it yet.');

async function promote(parts: QueueParts, waiting: QueueRow): Promise<'settled' | 'waits' | 'gone'> {
  const act = parts.begin('allocation.promote', origin(parts, waiting));
  const written = await parts.db.write(act, async (tx) => {
    const row = await holdAllocation(tx, waiting.id);
    if (row?.placement_status !== 'queued' || row.state !== 'requested') return tx.abandon(gone());
    const request = await requestOf(row);
    const [placed] = await parts.placer.place(
      tx,
      [{ request, alternatives: async () => ({ counts: [], skus: [] }) }],
      (picks, { wait }) =>
        Promise.all(picks.map(({ slotIds }) => reserveSlots(tx, { allocationId: row.id, slotIds, wait }))),
    );
    if (!placed?.reservation) return tx.abandon(full());
    const { nodeId, generation } = placed.reservation;
    const version = await stateFacts(tx, row.id, { placementStatus: 'reserved', nodeId, generation });
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
        }),
      ],
    });

    /** What the fleet is asked for, as the catalogue has it today. */
    async function requestOf({ sku, gpu_count, region, capacity_shape, image_id }: AllocationRow) {
      const isSlice = capacity_shape === 'gpu_slice';
      const offer = await readOffer(
        tx,
        { organizationId: waiting.organization_id, projectId: waiting.project_id },
        { sku, region },
      );
      return {
        ...{ sku, gpus: gpu_count, region, shape: capacity_shape, nvme: isSlice },
        fabric: isSlice && (offer?.resource_profile?.fabric ?? 'none') !== 'none',
        image:
          isSlice && image_id
            ? { id: image_id, mustBeCached: parts.policies.value('allocation.image_cache_required') }
            : undefined,
      };
    }
  });
  if (!(written instanceof Fault)) return 'settled';
  return written.code === 'sku_unavailable' ? 'waits' : 'gone';
}

async function giveUp(parts: QueueParts, waiting: QueueRow): Promise<'settled' | 'gone'> {
  const act = parts.begin('allocation.give_up', origin(parts, waiting));
  const written = await parts.db.write(act, async (tx) => {
    const row = await holdAllocation(tx, waiting.id);
    if (row?.placement_status !== 'queued' || row.state !== 'requested') return tx.abandon(gone());
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
  return written instanceof Fault ? 'gone' : 'settled';
}

/** The queue at work, woken whenever slots come free. */
export async function openQueue(
  parts: Omit<QueueParts, 'placer'> & {
    readonly log: Log;
    readonly listen: (channel: string, listener: (payload: string) => void) => Promise<{ close(): Promise<void> }>;
  },
): Promise<{ close(): Promise<void> }> {
  const { placer, close } = await openPlacer({ ...parts, looksFirst: true });
  const running = startReconciler(makeQueue({ ...parts, placer }), { ...parts, everyMs: queueEveryMs });
  const listening = await parts.listen(capacityChannel, running.wake);
  return {
    async close() {
      await listening.close();
      await running.close();
      await close();
    },
  };
}

import {
  adminAllocationForceCleanup,
  adminAllocationForceRelease,
  adminAllocationList,
  adminAllocationPlacement,
  adminAllocationQueue,
  provisioningFailed,
} from '@gpuaas/contract';
import { handlers, type Mounted, type ReadTx, sql } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import { readPage } from '../../kernel/page.ts';
import { whyNoneMayClear } from '../nodes/index.ts';
import { maxQueueShown } from './facts.ts';
import { aboutMoved, advanceAllocation } from './life/machine.ts';
import { releaseAllocation } from './life/release.ts';
import type { AllocationParts } from './parts.ts';
import { listQueue } from './queue/store.ts';
import { freeClaims, moveSlots } from './slots/slots.ts';
import { lastDecision, listAllAllocations } from './store.ts';
import { absent } from './views/read.ts';
import { showForOperator } from './views/show.ts';

const on = handlers<AllocationParts>();
const slotsOfSql = sql(
  'allocation-slots',
  `select s.id, s.state, n.state as node_state from slots s join nodes n on n.id = s.node_id
     join allocations a on a.id = s.allocation_id and a.generation = s.generation and mine(a.organization_id)
   where s.allocation_id = $1 order by s.id`,
);
const settleWithout =
  'Or send runtime_verified_absent: false; the slots then stay blocked until you clear them one by one.';
const findRow = async (tx: ReadTx, id: string) => (await listAllAllocations(tx, { id }, undefined, 1))[0];

const list = on(adminAllocationList, ({ db, limits }, who, { query }) =>
  readPage({
    name: 'admin-allocations',
    query,
    read: (before, limit) => db.read(who, (tx) => listAllAllocations(tx, query, before, limit)),
    keyOf: (row) => row.id,
    show: (row) => showForOperator(row, limits(who)),
  }),
);

const queue = on(adminAllocationQueue, async ({ db, policies }, who, { query }) => {
  const ageingSeconds = policies.number('allocation.queue_ageing_seconds');
  const rows = await db.read(who, (tx) => listQueue(tx, { ...query, ageingSeconds, limit: maxQueueShown }));
  return {
    data: rows.map((row) => ({
      position: row.position,
      allocation_id: row.id,
      organization_id: row.organization_id,
      project_id: row.project_id,
      sku: row.sku,
      region: row.region,
      gpu_count: row.gpu_count,
      waiting_since: row.created_at.toISOString(),
      deadline_at: row.queue_deadline_at.toISOString(),
      weight: row.weight,
      host_reserved: row.has_host,
      expected_start_at: row.expected_start_at?.toISOString() ?? null,
    })),
  };
});

const placement = on(adminAllocationPlacement, async ({ db }, who, { params }) => {
  const row = await db.read(who, (tx) => lastDecision(tx, params.allocation_id));
  if (!row) return absent();
  return { outcome: row.outcome, document: row.document as object, decided_at: row.decided_at.toISOString() };
});

const forceRelease = on(adminAllocationForceRelease, async (parts, act, { params, body }) =>
  parts.db.write(act, async (tx) => {
    const how = { reason: 'operator', said: body.reason, forced: true };
    const released = await releaseAllocation(tx, parts, act, params.allocation_id, how);
    if (!released) return tx.abandon(absent());
    if (released instanceof Fault) return tx.abandon(released);
    const row = await findRow(tx, params.allocation_id);
    if (!row) throw new Error('an allocation is gone');
    return tx.commit(showForOperator(row, parts.limits(act)), {
      target: { type: 'allocation', id: row.id },
      change: { state: [released.moved.from, released.moved.to], reason: body.reason },
      organizationId: row.organization_id,
      events: released.events,
    });
  }),
);

/**
 * The way out of a release that cannot be proven by the node. Slots come back to the pool only on the word of an operator
 * who has looked, on an active host, and with the probe that clearing a slot asks for; otherwise they stay blocked, and the
 * allocation is settled without them.
 */
const forceCleanup = on(adminAllocationForceCleanup, async (parts, act, { params, body }) =>
  parts.db.write(act, async (tx) => {
    const id = params.allocation_id;
    const moved = await advanceAllocation(tx, id, 'cleanUp', {
      ...{ ids: parts.ids, correlationId: act.correlationId },
      detail: { runtime_verified_absent: body.runtime_verified_absent },
      set: { failureCode: 'force_cleanup', failureReason: body.reason },
    });
    if (!moved) return tx.abandon(absent());
    if (moved instanceof Fault) {
      if (moved.code === 'version_conflict') throw moved;
      return tx.abandon(moved as Fault<'illegal_transition'>);
    }
    const slots = await tx.rows<{ id: string; state: string; node_state: string }>(slotsOfSql, [id]);
    if (body.runtime_verified_absent && slots.some(({ node_state }) => node_state !== 'active')) {
      return tx.abandon(new Fault('illegal_transition', 'Its host is not active: settle the host first.'));
    }
    const unproven = slots.filter(({ state }) => state === 'reserved' || state === 'in_use' || state === 'cleaning');
    await freeClaims(tx, id);
    if (unproven.length > 0) {
      await moveSlots(tx, { slotIds: unproven.map((slot) => slot.id) }, 'block', { reason: body.reason });
    }
    const aside = [...unproven, ...slots.filter(({ state }) => state === 'cleanup_blocked')].map((slot) => slot.id);
    if (body.runtime_verified_absent && aside.length > 0) {
      // Slots that are blocked only now have no probe yet that could count.
      const whyNot = await whyNoneMayClear(tx, aside);
      if (whyNot !== null) return tx.abandon(new Fault('probe_required', `${whyNot} ${settleWithout}`));
      const outcome = await moveSlots(tx, { slotIds: aside }, 'clear', { reason: body.reason });
      if (outcome instanceof Fault) return tx.abandon(outcome);
    }
    const row = await findRow(tx, id);
    if (!row) throw new Error('an allocation is gone');
    return tx.commit(showForOperator(row, parts.limits(act)), {
      target: { type: 'allocation', id },
      change: { state: [moved.from, moved.to], ...body },
      organizationId: row.organization_id,
      events: [
        provisioningFailed.of(id, {
          ...aboutMoved(id, moved),
          ...{ failure_code: 'force_cleanup', failure_reason: 'An operator settled it without proof of the host.' },
        }),
      ],
    });
  }),
);

export const adminRoutes = (parts: AllocationParts): Mounted[] =>
  [list, queue, placement, forceRelease, forceCleanup].map((bind) => bind(parts));

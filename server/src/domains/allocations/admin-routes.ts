import {
  adminAllocationForceCleanup,
  adminAllocationForceRelease,
  adminAllocationList,
  adminAllocationPlacement,
  adminAllocationQueue,
} from '@gpuaas/contract';
import { handlers, type Mounted, type ReadTx } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import { readPage } from '../../kernel/page.ts';
import { maxQueueShown } from './facts.ts';
import { cleanUpAllocation } from './life/clean-up.ts';
import { releaseAllocation } from './life/release.ts';
import type { AllocationParts } from './parts.ts';
import { listQueue } from './queue/store.ts';
import { lastDecision, listAllAllocations } from './store.ts';
import { absent } from './views/read-routes.ts';
import { showForOperator } from './views/show.ts';

const on = handlers<AllocationParts>();
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

const forceCleanup = on(adminAllocationForceCleanup, async (parts, act, { params, body }) =>
  parts.db.write(act, async (tx) => {
    const id = params.allocation_id;
    const settled = await cleanUpAllocation(tx, parts, act, id, body);
    if (!settled) return tx.abandon(absent());
    if (settled instanceof Fault) return tx.abandon(settled);
    const row = await findRow(tx, id);
    if (!row) throw new Error('an allocation is gone');
    return tx.commit(showForOperator(row, parts.limits(act)), {
      target: { type: 'allocation', id },
      change: { state: [settled.moved.from, settled.moved.to], ...body },
      organizationId: row.organization_id,
      events: settled.events,
    });
  }),
);

export const adminRoutes = (parts: AllocationParts): Mounted[] =>
  [list, queue, placement, forceRelease, forceCleanup].map((bind) => bind(parts));

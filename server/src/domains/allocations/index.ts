import type { ErrorCode } from '@gpuaas/contract';
import { type Database, type Mounted, systemViewer } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/id.ts';
import type { Log } from '../../kernel/log.ts';
import type { Policies } from '../policy/index.ts';
import { adminRoutes } from './admin.ts';
import { createRoutes } from './create.ts';
import { groupRoutes } from './groups.ts';
import { findGroup } from './groups-store.ts';
import { lifecycleRoutes } from './lifecycle.ts';
import type { AllocationParts, MayAfford } from './parts.ts';
import { openPlacer } from './placement/open.ts';
import { readRoutes } from './read.ts';
import type { SagaParts } from './sagas/parts.ts';
import { findOwner } from './store.ts';
import { taskTimes } from './task-times.ts';

interface Owner {
  readonly absent: ErrorCode;
  find(id: string): Promise<{ readonly organizationId: string; readonly projectId: string } | undefined>;
}
/** Allocations: who holds which capacity, from the request to the proof that nothing is left. */
export interface Allocations {
  readonly routes: readonly Mounted[];
  readonly owners: { readonly allocation_id: Owner; readonly allocation_group_id: Owner };
  close(): Promise<void>;
}

export async function openAllocations(parts: {
  readonly db: Database;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly log: Log;
  readonly region: string;
  readonly policies: Policies;
  readonly tasks: SagaParts['tasks'];
  readonly mayAfford: MayAfford;
  readonly listen: (channel: string, listener: (payload: string) => void) => Promise<{ close(): Promise<void> }>;
}): Promise<Allocations> {
  const { db, ids, policies } = parts;
  const { placer, close } = await openPlacer(parts);
  const limits: AllocationParts['limits'] = (who) => ({
    maxReleaseAttempts: policies.number('allocation.force_release_max_attempts', who),
  });
  const inside = { ...parts, ...taskTimes(policies), placer, limits };
  const whose = (row: { organization_id: string; project_id: string } | undefined) =>
    row && { organizationId: row.organization_id, projectId: row.project_id };
  const look = () => systemViewer('allocations', { correlationId: ids.next() });
  return {
    routes: [
      ...createRoutes(inside),
      ...readRoutes(inside),
      ...lifecycleRoutes(inside),
      ...groupRoutes(inside),
      ...adminRoutes(inside),
    ],
    owners: {
      allocation_id: {
        absent: 'allocation_not_found',
        find: async (id) => whose(await db.read(look(), (tx) => findOwner(tx, id))),
      },
      allocation_group_id: {
        absent: 'allocation_group_not_found',
        find: async (id) => whose(await db.read(look(), (tx) => findGroup(tx, id))),
      },
    },
    close,
  };
}

export { makeClaim } from './claim.ts';
export { capacityChannel } from './facts.ts';
export { type GuardParts, makeGuards } from './guards.ts';
export { makeAuthorizedKeys } from './keys/reconcile.ts';
export { makeNodeTenants } from './node-tenants.ts';
export { readLease } from './order.ts';
export type { MayAfford } from './parts.ts';
export { makePhases } from './phases.ts';
export { listNodeIds, readCandidates } from './placement/candidates-store.ts';
export { makeCapacityIndex } from './placement/capacity-index.ts';
export { decide } from './placement/decide.ts';
export type { CandidateNode, PlacementRequest } from './placement/model.ts';
export { makePlacer } from './placement/place.ts';
export { openQueue } from './queue.ts';
export { readGpuQuota } from './quota/quota.ts';
export { makeReattest } from './reattest.ts';
export { makeAttest, makeRestart } from './sagas/attest.ts';
export type { OfLease, SagaParts } from './sagas/parts.ts';
export { makeProvision } from './sagas/provision.ts';
export { makeSettled } from './sagas/settled.ts';
export { isImagedAgain, makeVacate, makeVacateAndReimage, type Vacate } from './sagas/vacate.ts';
export { type MovedSlots, moveSlots, type SlotState, type SlotTransition } from './slots.ts';
export { taskTimes } from './task-times.ts';
export { readCurrent, readTotals } from './totals/read.ts';
export { makeProjectAllocations } from './wind-down.ts';

import type { ErrorCode } from '@gpuaas/contract';
import { type Database, type Mounted, systemViewer } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/id.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import type { Policies } from '../policy/index.ts';
import { accessRoutes } from './access/routes.ts';
import { adminRoutes } from './admin-routes.ts';
import { type AllocationDoor, makeAllocationDoor } from './door.ts';
import { groupRoutes } from './groups/groups-routes.ts';
import { findGroup } from './groups/groups-store.ts';
import { createRoutes } from './launch/create-routes.ts';
import type { LifeParts } from './life/parts.ts';
import { lifecycleRoutes } from './lifecycle-routes.ts';
import type { AllocationParts, LaunchMoney, ReadCharged } from './parts.ts';
import { openPlacer } from './placement/open-placer.ts';
import { findOwner } from './store.ts';
import { taskTimes } from './task-times.ts';
import { readRoutes } from './views/read-routes.ts';

interface Owner {
  readonly absent: ErrorCode;
  find(id: string): Promise<{ readonly organizationId: string; readonly projectId: string } | undefined>;
}
/** Allocations: who holds which capacity, from the request to the proof that nothing is left. */
export interface Allocations {
  readonly routes: readonly Mounted[];
  readonly owners: { readonly allocation_id: Owner; readonly allocation_group_id: Owner };
  readonly door: AllocationDoor;
  close(): Promise<void>;
}

export async function openAllocations(parts: {
  readonly db: Database;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly log: Log;
  readonly region: string;
  readonly policies: Policies;
  readonly tasks: LifeParts['tasks'];
  readonly money: LaunchMoney;
  readonly readCharged: ReadCharged;
  /** Whether this installation runs a terminal gateway. */
  readonly hasTerminals: boolean;
  readonly listen: (channel: string, listener: (payload: string) => void) => Promise<{ close(): Promise<void> }>;
}): Promise<Allocations> {
  const { db, ids, policies } = parts;
  const { placer, close } = await openPlacer(parts);
  const limits: AllocationParts['limits'] = (who) => ({
    maxReleaseAttempts: policies.number('allocation.force_release_max_attempts', who),
    hasTerminals: parts.hasTerminals,
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
      ...accessRoutes(inside),
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
    door: makeAllocationDoor(inside),
    close,
  };
}

export { makePastRuns } from './demo/past-runs-store.ts';
export type { AllocationDoor } from './door.ts';
export { capacityChannel } from './facts.ts';
export { makeGuards } from './guards/guards.ts';
export { makeNodeTenants } from './guards/node-tenants.ts';
export { makeReattest } from './guards/reattest.ts';
export { makeUnattended } from './guards/unattended.ts';
export { makeAuthorizedKeys } from './keys/reconcile.ts';
export { type ResolvedLaunch, resolveLaunch } from './launch/launch-request.ts';
export { launchLimits } from './launch/limits.ts';
export { makeApplyResult } from './life/apply-result.ts';
export { type LeasedAllocation, readLeased } from './life/leased.ts';
export type { LifeParts, OfLease } from './life/parts.ts';
export { makeAllocationListeners } from './on-events.ts';
export type { LaunchMoney, LockedPrice, Order, ReadCharged } from './parts.ts';
export { listNodeIds, readCandidates } from './placement/candidates-store.ts';
export { makeCapacityIndex } from './placement/capacity-index.ts';
export { decide } from './placement/decide.ts';
export type { CandidateNode, PlacementRequest } from './placement/model.ts';
export { makePlacer } from './placement/placer.ts';
export { makeReserveForNew } from './placement/reserve-for-new.ts';
export { makeProjectAllocations } from './project-removal.ts';
export { openQueue } from './queue/queue.ts';
export { readGpuQuota } from './quota/quota.ts';
export { makeAttest, makeRestart } from './sagas/attest.ts';
export { makeBeginRuns } from './sagas/begin.ts';
export { makeProvision } from './sagas/provision.ts';
export { makeVacate, makeVacateAndReimage, type Vacate } from './sagas/vacate.ts';
export { type MovedSlots, moveSlots, type SlotState, type SlotTransition } from './slots/slots.ts';
export { makeStops } from './stops/reconcile.ts';
export { taskTimes } from './task-times.ts';
export { makeNoteProgress } from './tasks/phases.ts';
export { readCurrent, readTotals } from './totals/read-store.ts';
export { costMinor, perHourMinor } from './views/price.ts';

import {
  type AllocationGroup,
  type AllocationGroupDetail,
  allocationGroupCreate,
  allocationGroupGet,
  allocationGroupList,
  allocationGroupRelease,
  type DeclaredEvent,
} from '@gpuaas/contract';
import { handlers, type Mounted, type ReadTx, type Viewer } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { readPage } from '../../../kernel/page.ts';
import { resourceName } from '../../../kernel/resource-name.ts';
import { checkLaunch } from '../launch/create-routes.ts';
import type { AllocationState } from '../life/machine.ts';
import { releaseAllocation } from '../life/release.ts';
import { type CheckedLaunch, requestAllocations } from '../life/request.ts';
import type { AllocationParts } from '../parts.ts';
import { mayHoldMore } from '../quota/quota.ts';
import { listGroup } from '../store.ts';
import { addPerHour } from '../views/price.ts';
import { showAllocation } from '../views/show.ts';
import { statusOf } from './group-status.ts';
import { askForRelease, findGroup, type GroupRow, holdGroup, insertGroup, listGroups } from './groups-store.ts';

export interface GroupParts extends AllocationParts {
  /** The region of this installation: members of a group may be in several. */
  readonly region: string;
}
const on = handlers<GroupParts>();
const absent = () => new Fault('allocation_group_not_found', 'There is no such object.');

const show = (region: string, row: GroupRow, states: readonly AllocationState[]): AllocationGroup => ({
  id: row.id,
  resource_name: resourceName(
    region,
    { organizationId: row.organization_id, projectId: row.project_id },
    'gpuaas/allocation-group',
    row.id,
  ),
  organization_id: row.organization_id,
  project_id: row.project_id,
  name: row.name,
  status: statusOf(states, row.release_requested_at !== null),
  members: Object.fromEntries(
    Object.entries(Object.groupBy(states, (state) => state)).map(([state, those]) => [state, those?.length ?? 0]),
  ),
  release_requested_at: row.release_requested_at?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
});
async function showDetail(
  tx: ReadTx,
  parts: GroupParts,
  who: Viewer,
  id: string,
): Promise<AllocationGroupDetail | undefined> {
  const row = await findGroup(tx, id);
  if (!row) return undefined;
  const members = await listGroup(tx, id);
  const states = members.map(({ state }) => state);
  return {
    ...show(parts.region, row, states),
    per_hour: addPerHour(members.filter(({ state }) => state === 'active')),
    allocations: members.map((member) => showAllocation(member, parts.limits(who))),
  };
}

const create = on(allocationGroupCreate, async (parts, act, { body }) =>
  parts.db.write(act, async (tx) => {
    const gpus = body.members.reduce((sum, member) => sum + member.gpus, 0);
    const refused = await mayHoldMore(tx, parts, act, { allocations: body.members.length, gpus });
    if (refused) return tx.abandon(refused);
    const groupId = parts.ids.next();
    const stored = await insertGroup(tx, {
      id: groupId,
      organizationId: act.organizationId,
      projectId: act.projectId,
      name: body.name,
      createdBy: act.actorId,
    });
    if (stored === 0) return tx.abandon(new Fault('project_not_found', 'There is no such object.'));
    // The largest first: a member that needs a whole host finds one before small members take a part of it.
    const largestFirst = body.members.toSorted((a, b) => b.gpus - a.gpus);
    const launches: CheckedLaunch[] = [];
    for (const one of await Promise.all(largestFirst.map((member) => checkLaunch(tx, parts, act, member)))) {
      if (one instanceof Fault) return tx.abandon(one);
      launches.push(one);
    }
    const made = await requestAllocations(tx, parts, act, launches, { groupId });
    if (made instanceof Fault) return tx.abandon(made);
    const detail = await showDetail(tx, parts, act, groupId);
    if (!detail) throw new Error('a group was not stored');
    return tx.commit(detail, {
      target: { type: 'allocation_group', id: groupId },
      change: { name: body.name, members: body.members.length },
      events: made.events,
    });
  }),
);

const list = on(allocationGroupList, ({ db, region }, who, { query }) =>
  readPage({
    name: 'allocation-groups',
    query,
    read: (before, limit) => db.read(who, (tx) => listGroups(tx, who.projectId, who.organizationId, before, limit)),
    keyOf: (row) => row.id,
    show: (row) => show(region, row, row.states),
  }),
);

const get = on(allocationGroupGet, async (parts, who, { params }) => {
  const detail = await parts.db.read(who, (tx) => showDetail(tx, parts, who, params.allocation_group_id));
  return detail ?? absent();
});

const release = on(allocationGroupRelease, async (parts, act, { params }) =>
  parts.db.write(act, async (tx) => {
    const id = params.allocation_group_id;
    if (!(await holdGroup(tx, id))) return tx.abandon(absent());
    await askForRelease(tx, id);
    const events: DeclaredEvent[] = [];
    for (const { id: memberId } of await listGroup(tx, id)) {
      const released = await releaseAllocation(tx, parts, act, memberId, { reason: 'group', forced: false });
      // Members that are being released, or whose release was tried too often, stay as they are.
      if (released && !(released instanceof Fault)) events.push(...released.events);
    }
    const detail = await showDetail(tx, parts, act, id);
    if (!detail) throw new Error('a group is gone');
    return tx.commit(detail, {
      target: { type: 'allocation_group', id },
      change: { released: events.length },
      events: events.length > 0 ? events : 'none',
    });
  }),
);

export const groupRoutes = (parts: GroupParts): Mounted[] => [create, list, get, release].map((bind) => bind(parts));

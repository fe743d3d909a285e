import {
  projectMemberChanged,
  projectMemberList,
  projectMemberRemove,
  projectMemberSet,
  type TenantRole,
} from '@gpuaas/contract';
import { type Act, type Database, handlers, type InOrganization, type WriteTx } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import { readPage } from '../../kernel/page.ts';
import { grantFault, higher } from './access/roles.ts';
import {
  findProjectMember,
  findRoles,
  listProjectMembers,
  removeProjectMember,
  setProjectMember,
  showMember,
} from './members-store.ts';
import { findProject } from './store.ts';

interface Parts {
  readonly db: Database;
  readonly region: string;
  readonly changed: () => void;
}
const on = handlers<Parts>();
const absent = () => new Fault('member_not_found', 'There is no such object.');

export const list = on(projectMemberList, ({ db, region }, who, { params, query }) =>
  readPage({
    name: 'project-members',
    query,
    read: (after, limit) => db.read(who, (tx) => listProjectMembers(tx, params.project_id, after, limit)),
    keyOf: (row) => row.user_id,
    show: (row) => showMember(region, row),
  }),
);

export const set = on(projectMemberSet, async ({ db, region, changed }, act, { params, body }) => {
  const { project_id: projectId, user_id: userId } = params;
  const written = await db.write(act, async (tx) => {
    if (!(await findProject(tx, projectId))) {
      return tx.abandon(new Fault('project_not_found', 'There is no such object.'));
    }
    const from = await heldRole(tx, act, projectId, userId, body.role);
    if (from instanceof Fault) return tx.abandon(from);
    const found = await setProjectMember(tx, projectId, userId, body.role);
    const row = found > 0 && (await findProjectMember(tx, projectId, userId));
    if (!row) return tx.abandon(absent());
    return tx.commit(showMember(region, row), {
      target: { type: 'project_member', id: userId },
      change: { project_id: projectId, role: [from ?? null, body.role] },
      events: [projectMemberChanged.of(userId, { project_id: projectId, user_id: userId, role: body.role })],
    });
  });
  if (!(written instanceof Fault)) changed();
  return written;
});

export const remove = on(projectMemberRemove, async ({ db, region, changed }, act, { params }) => {
  const { project_id: projectId, user_id: userId } = params;
  const written = await db.write(act, async (tx) => {
    const from = await heldRole(tx, act, projectId, userId, undefined);
    if (from instanceof Fault) return tx.abandon(from);
    const found = await removeProjectMember(tx, projectId, userId);
    const row = found > 0 && (await findProjectMember(tx, projectId, userId));
    if (!row) return tx.abandon(absent());
    return tx.commit(showMember(region, row), {
      target: { type: 'project_member', id: userId },
      change: { project_id: projectId, role: [from ?? null, null] },
      events: [projectMemberChanged.of(userId, { project_id: projectId, user_id: userId, role: null })],
    });
  });
  if (!(written instanceof Fault)) changed();
  return written;
});

/** The current role of a person in a project, if it may become `to`. */
async function heldRole(
  tx: WriteTx,
  act: Act & InOrganization,
  projectId: string,
  userId: string,
  to: TenantRole | undefined,
) {
  const { organizationId } = act;
  const [mine, theirs] = [
    await findRoles(tx, act.actorId, organizationId, projectId),
    await findRoles(tx, userId, organizationId, projectId),
  ];
  const from = theirs?.project_role ?? undefined;
  const refused = grantFault({
    by: mine && higher(mine.role, mine.project_role),
    toSelf: userId === act.actorId,
    // A member of the organization does not gain rights by giving themselves the same role here.
    from: theirs && userId === act.actorId ? higher(theirs.role, from) : from,
    to,
  });
  return refused ?? from;
}

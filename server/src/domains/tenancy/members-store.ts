import type { Member, TenantRole } from '@gpuaas/contract';
import { type ReadTx, sql, type WriteTx } from '../../kernel/act.ts';
import { resourceName } from '../../kernel/resource-name.ts';

/** Adds a member, or restores a former one. An existing membership is left as it is, and no row is returned. */
const join = sql(
  'membership-join',
  `insert into tenant_memberships as m (user_id, organization_id, role) values ($1, $2, $3)
   on conflict (user_id, organization_id) do update
     set role = excluded.role, created_at = excluded.created_at, deleted_at = null
     where m.deleted_at is not null and mine(m.organization_id)
   returning role`,
);
const roles = sql(
  'membership-roles',
  `select m.role, p.role as project_role from tenant_memberships m
   left join project_memberships p on p.user_id = m.user_id and p.organization_id = m.organization_id
     and p.project_id = $3 and p.deleted_at is null
   where m.user_id = $1 and m.organization_id = $2 and m.deleted_at is null and mine(m.organization_id)`,
);
const list = sql(
  'membership-list',
  `select m.organization_id, m.user_id, i.username, n.display_name, m.role, m.created_at
   from tenant_memberships m join user_posix_identities i on i.user_id = m.user_id
     left join user_names n on n.user_id = m.user_id
   where m.organization_id = $1 and mine(m.organization_id) and m.deleted_at is null
     and ($2::uuid is null or m.user_id > $2)
   order by m.user_id limit $3`,
);
/**
 * Everyone whom a change of roles depends on: all owners, the actor, the target. Locked in a fixed order, so that of
 * two owners who demote each other the second sees the first change.
 */
const hold = sql(
  'membership-hold',
  `select user_id, role from tenant_memberships
   where organization_id = $1 and mine(organization_id) and deleted_at is null
     and (role = 'owner' or user_id = $2 or user_id = $3)
   order by user_id for update`,
);
const get = sql(
  'membership-get',
  `select m.organization_id, m.user_id, i.username, n.display_name, m.role, m.created_at
   from tenant_memberships m join user_posix_identities i on i.user_id = m.user_id
     left join user_names n on n.user_id = m.user_id
   where m.organization_id = $1 and m.user_id = $2 and mine(m.organization_id)`,
);
const setRole = sql(
  'membership-role-set',
  `update tenant_memberships set role = $3
   where organization_id = $1 and user_id = $2 and mine(organization_id) and deleted_at is null`,
);
const remove = sql(
  'membership-remove',
  `update tenant_memberships set deleted_at = act_time()
   where organization_id = $1 and user_id = $2 and mine(organization_id) and deleted_at is null`,
);
const removeFromProjects = sql(
  'project-membership-remove-all',
  `update project_memberships set deleted_at = act_time()
   where organization_id = $1 and user_id = $2 and mine(organization_id) and deleted_at is null`,
);
const listOfProject = sql(
  'project-membership-list',
  `select m.organization_id, m.project_id, m.user_id, i.username, n.display_name, m.role, m.created_at
   from project_memberships m join user_posix_identities i on i.user_id = m.user_id
     left join user_names n on n.user_id = m.user_id
   where m.project_id = $1 and mine(m.organization_id) and m.deleted_at is null and ($2::uuid is null or m.user_id > $2)
   order by m.user_id limit $3`,
);
const getOfProject = sql(
  'project-membership-get',
  `select m.organization_id, m.project_id, m.user_id, i.username, n.display_name, m.role, m.created_at
   from project_memberships m join user_posix_identities i on i.user_id = m.user_id
     left join user_names n on n.user_id = m.user_id
   where m.project_id = $1 and m.user_id = $2 and mine(m.organization_id)`,
);
const setOfProject = sql(
  'project-membership-set',
  `insert into project_memberships (user_id, organization_id, project_id, role)
   select m.user_id, p.organization_id, p.id, $3
   from projects p join tenant_memberships m on m.organization_id = p.organization_id and m.deleted_at is null
   where p.id = $1 and p.state <> 'deleted' and m.user_id = $2 and mine(p.organization_id) and mine(m.organization_id)
   on conflict (user_id, organization_id, project_id) do update set role = excluded.role, deleted_at = null,
     created_at = case when project_memberships.deleted_at is null then project_memberships.created_at
       else excluded.created_at end`,
);
const removeOfProject = sql(
  'project-membership-remove',
  `update project_memberships set deleted_at = act_time()
   where project_id = $1 and user_id = $2 and mine(organization_id) and deleted_at is null`,
);

interface Row {
  readonly organization_id: string;
  readonly project_id?: string;
  readonly user_id: string;
  readonly username: string;
  readonly display_name: string | null;
  readonly role: TenantRole;
  readonly created_at: Date;
}

export const showMember = (region: string, row: Row): Member => ({
  user_id: row.user_id,
  resource_name: resourceName(
    region,
    { organizationId: row.organization_id, projectId: row.project_id },
    'tenancy/member',
    row.user_id,
  ),
  username: row.username,
  display_name: row.display_name,
  role: row.role,
  created_at: row.created_at.toISOString(),
});

export const joinMember = async (tx: WriteTx, userId: string, organizationId: string, role: TenantRole) =>
  (await tx.rows<{ role: TenantRole }>(join, [userId, organizationId, role]))[0];
export const findRoles = async (tx: ReadTx, userId: string, organizationId: string, projectId: string | undefined) =>
  (
    await tx.rows<{ role: TenantRole; project_role: TenantRole | null }>(roles, [
      userId,
      organizationId,
      projectId ?? null,
    ])
  )[0];
export const listMembers = (tx: ReadTx, organizationId: string, after: string | undefined, limit: number) =>
  tx.rows<Row>(list, [organizationId, after ?? null, limit]);
export const findMember = async (tx: ReadTx, organizationId: string, userId: string) =>
  (await tx.rows<Row>(get, [organizationId, userId]))[0];
export const holdMembers = (tx: WriteTx, organizationId: string, actorId: string, userId: string) =>
  tx.rows<{ user_id: string; role: TenantRole }>(hold, [organizationId, actorId, userId]);
export const setMemberRole = (tx: WriteTx, organizationId: string, userId: string, role: TenantRole) =>
  tx.run(setRole, [organizationId, userId, role]);
export async function removeMember(tx: WriteTx, organizationId: string, userId: string): Promise<void> {
  await Promise.all([
    tx.run(remove, [organizationId, userId]),
    // A person who comes back starts without the roles of old in projects.
    tx.run(removeFromProjects, [organizationId, userId]),
  ]);
}

export const listProjectMembers = (tx: ReadTx, projectId: string, after: string | undefined, limit: number) =>
  tx.rows<Row>(listOfProject, [projectId, after ?? null, limit]);
export const findProjectMember = async (tx: ReadTx, projectId: string, userId: string) =>
  (await tx.rows<Row>(getOfProject, [projectId, userId]))[0];
export const setProjectMember = (tx: WriteTx, projectId: string, userId: string, role: TenantRole) =>
  tx.run(setOfProject, [projectId, userId, role]);
export const removeProjectMember = (tx: WriteTx, projectId: string, userId: string) =>
  tx.run(removeOfProject, [projectId, userId]);

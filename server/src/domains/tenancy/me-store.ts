import type { PlatformRole, TenantRole } from '@gpuaas/contract';
import { type ReadTx, sql, type WriteTx } from '../../kernel/act.ts';

const person = sql(
  'me-person',
  `select i.uid, i.gid, i.username, n.display_name,
     coalesce((select array_agg(b.role order by b.role) from platform_role_bindings b
       where b.user_id = i.user_id and b.deleted_at is null), '{}') as platform_roles
   from user_posix_identities i left join user_names n on n.user_id = i.user_id
   where i.user_id = $1 and is_me(i.user_id)`,
);
const organizations = sql(
  'me-organizations',
  `select o.id, o.name, o.slug, m.role
   from tenant_memberships m join organizations o on o.id = m.organization_id
   where m.user_id = $1 and is_me(m.user_id) and m.deleted_at is null and o.deleted_at is null
   order by o.id limit $2`,
);
const getDefault = sql(
  'default-project-get',
  `select d.project_id from user_project_defaults d
   join tenant_memberships m on m.user_id = d.user_id and m.organization_id = d.organization_id and m.deleted_at is null
     and is_me(m.user_id)
   join projects p on p.id = d.project_id and p.organization_id = m.organization_id and p.state <> 'deleted'
   where d.user_id = $1 and is_me(d.user_id)`,
);
const setDefault = sql(
  'default-project-set',
  `insert into user_project_defaults (user_id, organization_id, project_id)
   select m.user_id, p.organization_id, p.id
   from projects p join tenant_memberships m on m.organization_id = p.organization_id and m.deleted_at is null
   where m.user_id = $1 and is_me(m.user_id) and p.id = $2 and p.state <> 'deleted'
   on conflict (user_id) do update
     set organization_id = excluded.organization_id, project_id = excluded.project_id, updated_at = excluded.updated_at
   returning project_id`,
);

const setName = sql(
  'display-name-set',
  `insert into user_names (user_id, display_name) values ($1, $2)
   on conflict (user_id) do update set display_name = excluded.display_name, updated_at = excluded.updated_at
     where is_me(user_names.user_id)`,
);
const dropName = sql('display-name-drop', 'delete from user_names where user_id = $1 and is_me(user_id)');

interface Myself {
  readonly uid: number;
  readonly gid: number;
  readonly username: string;
  readonly display_name: string | null;
  readonly platform_roles: PlatformRole[];
}
export const findMyself = async (tx: ReadTx, userId: string) => (await tx.rows<Myself>(person, [userId]))[0];
export const setDisplayName = (tx: WriteTx, userId: string, name: string | null) =>
  name === null ? tx.run(dropName, [userId]) : tx.run(setName, [userId, name]);
export const listMine = (tx: ReadTx, userId: string, limit: number) =>
  tx.rows<{ id: string; name: string; slug: string; role: TenantRole }>(organizations, [userId, limit]);
export const findDefaultProject = async (tx: ReadTx, userId: string) =>
  (await tx.rows<{ project_id: string }>(getDefault, [userId]))[0]?.project_id ?? null;
export const setDefaultProject = async (tx: WriteTx, userId: string, projectId: string) =>
  (await tx.rows<{ project_id: string }>(setDefault, [userId, projectId]))[0];

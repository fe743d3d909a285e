import type { NamespaceKind, StorageGrant } from '@gpuaas/contract';
import { type ReadTx, sql, type WriteTx } from '../../../kernel/act.ts';

export interface GrantRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly namespace_id: string;
  readonly kind: NamespaceKind;
  readonly name: string;
  readonly grantee_kind: StorageGrant['grantee_kind'];
  readonly grantee_id: string;
  readonly level: StorageGrant['level'];
  readonly granted_by: string;
  readonly created_at: Date;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
}
const columns = `g.id, g.organization_id, g.project_id, g.namespace_id, n.kind, n.name, g.grantee_kind, g.grantee_id, g.level, g.granted_by,
     g.created_at, g.expires_at, g.revoked_at`;

const insert = sql(
  'storage-grant-insert',
  `insert into storage_grants (id, organization_id, project_id, namespace_id, grantee_kind, grantee_id, level, granted_by, expires_at)
   select $1, n.organization_id, n.project_id, n.id, $3, $4, $5, $6, $7 from storage_namespaces n
   where n.id = $2 and mine(n.organization_id)
   on conflict (namespace_id, grantee_kind, grantee_id) where revoked_at is null do nothing`,
);
/** A grant whose time is over makes room for a new one. */
const clearExpired = sql(
  'storage-grant-clear',
  `update storage_grants g set revoked_at = act_time()
   where g.namespace_id = $1 and g.revoked_at is null and g.expires_at <= act_time() and mine(g.organization_id)`,
);
const find = sql(
  'storage-grant-find',
  `select ${columns} from storage_grants g join storage_namespaces n on n.id = g.namespace_id and mine(n.organization_id)
   where g.id = $1 and g.organization_id = $2 and mine(g.organization_id)`,
);
const count = sql(
  'storage-grant-count',
  `select count(*)::int as grants from storage_grants g
   where g.namespace_id = $1 and g.revoked_at is null and mine(g.organization_id)`,
);
const given = sql(
  'storage-grant-given',
  `select ${columns} from storage_grants g join storage_namespaces n on n.id = g.namespace_id and mine(n.organization_id)
   where g.organization_id = $1 and g.project_id = $2 and g.revoked_at is null and mine(g.organization_id)
     and ($3::uuid is null or g.id < $3)
   order by g.id desc limit $4`,
);
const received = sql(
  'storage-grant-received',
  `select ${columns} from storage_grants g join storage_namespaces n on n.id = g.namespace_id and mine(n.organization_id)
     join projects p on p.id = g.project_id and p.state <> 'deleted' and mine(p.organization_id)
   where g.organization_id = $1 and g.grantee_id = any ($2::uuid[]) and g.revoked_at is null and mine(g.organization_id)
     and (g.expires_at is null or g.expires_at > act_time())
     and ($3::uuid is null or g.id < $3)
   order by g.id desc limit $4`,
);
const levels = sql(
  'storage-grant-levels',
  `select g.level from storage_grants g
   where g.namespace_id = $1 and g.grantee_id = any ($2::uuid[]) and g.revoked_at is null and mine(g.organization_id)
     and (g.expires_at is null or g.expires_at > act_time())
   limit 3`,
);
const levelsInMany = sql(
  'storage-grant-levels-many',
  `select g.namespace_id, g.level from storage_grants g
   where g.namespace_id = any ($1::uuid[]) and g.grantee_id = $2::uuid and g.revoked_at is null and mine(g.organization_id)
     and (g.expires_at is null or g.expires_at > act_time())`,
);
const revoke = sql(
  'storage-grant-revoke',
  'update storage_grants g set revoked_at = act_time() where g.id = $1 and g.revoked_at is null and mine(g.organization_id)',
);
const isUser = sql(
  'storage-grantee-user',
  `select m.user_id from tenant_memberships m
   where m.user_id = $1 and m.organization_id = $2 and m.deleted_at is null and mine(m.organization_id)`,
);
const isAccount = sql(
  'storage-grantee-account',
  `select s.id from service_accounts s where s.id = $1 and s.organization_id = $2 and mine(s.organization_id)`,
);
const isProject = sql(
  'storage-grantee-project',
  `select p.id from projects p
   where p.id = $1 and p.organization_id = $2 and p.state <> 'deleted' and mine(p.organization_id)`,
);
const grantees = { user: isUser, service_account: isAccount, project: isProject };

/** False when the grantee has one already. */
export const insertGrant = async (
  tx: WriteTx,
  one: Pick<GrantRow, 'id' | 'namespace_id' | 'grantee_kind' | 'grantee_id' | 'level' | 'granted_by' | 'expires_at'>,
): Promise<boolean> => {
  await tx.run(clearExpired, [one.namespace_id]);
  return (
    (await tx.run(insert, [
      ...[one.id, one.namespace_id, one.grantee_kind, one.grantee_id, one.level, one.granted_by, one.expires_at],
    ])) > 0
  );
};
export const findGrant = async (tx: ReadTx, id: string, organizationId: string) =>
  (await tx.rows<GrantRow>(find, [id, organizationId]))[0];
export const countGrants = async (tx: ReadTx, namespaceId: string): Promise<number> =>
  (await tx.rows<{ grants: number }>(count, [namespaceId]))[0]?.grants ?? 0;
export const listGiven = (
  tx: ReadTx,
  of: { readonly organizationId: string; readonly projectId: string },
  before: string | undefined,
  limit: number,
) => tx.rows<GrantRow>(given, [of.organizationId, of.projectId, before ?? null, limit]);
export const listReceived = (
  tx: ReadTx,
  of: { readonly organizationId: string; readonly grantees: readonly string[] },
  before: string | undefined,
  limit: number,
) => tx.rows<GrantRow>(received, [of.organizationId, of.grantees, before ?? null, limit]);
export const levelsOf = async (tx: ReadTx, namespaceId: string, granteeIds: readonly string[]) =>
  (await tx.rows<Pick<GrantRow, 'level'>>(levels, [namespaceId, granteeIds])).map(({ level }) => level);
/** What was granted to one person or program in each of these namespaces. */
export const levelsAmong = (tx: ReadTx, namespaceIds: readonly string[], granteeId: string) =>
  tx.rows<Pick<GrantRow, 'namespace_id' | 'level'>>(levelsInMany, [namespaceIds, granteeId]);
export const revokeGrant = (tx: WriteTx, id: string) => tx.run(revoke, [id]);
export const isGrantee = async (
  tx: ReadTx,
  kind: GrantRow['grantee_kind'],
  id: string,
  organizationId: string,
): Promise<boolean> => (await tx.rows(grantees[kind], [id, organizationId])).length > 0;

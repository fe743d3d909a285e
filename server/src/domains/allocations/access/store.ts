import { type ReadTx, sql, type WriteTx } from '../../../kernel/act.ts';

export interface GrantRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly allocation_id: string;
  readonly user_id: string;
  readonly ssh_key_id: string | null;
  readonly reason: string;
  readonly granted_by: string;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly revoked_at: Date | null;
  readonly revoked_by: string | null;
  readonly is_active: boolean;
}
const columns = `id, organization_id, project_id, allocation_id, user_id, ssh_key_id, reason, granted_by, created_at, expires_at,
     revoked_at, revoked_by, revoked_at is null and expires_at > act_time() as is_active`;

const insert = sql(
  'access-grant-insert',
  `insert into allocation_access_grants (id, organization_id, project_id, allocation_id, user_id, ssh_key_id, reason, granted_by,
     expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning ${columns}`,
);
const list = sql(
  'access-grant-list',
  `select ${columns} from allocation_access_grants
   where organization_id = $1 and allocation_id = $2 and mine(organization_id)
     and ($3::boolean is null or (revoked_at is null and expires_at > act_time()) = $3)
     and ($4::uuid is null or id < $4)
   order by id desc limit $5`,
);
const active = sql(
  'access-grants-active',
  `select user_id from allocation_access_grants
   where allocation_id = $1 and mine(organization_id) and revoked_at is null and expires_at > act_time()
   order by id limit 1000`,
);
const hold = sql(
  'access-grant-hold',
  `select ${columns} from allocation_access_grants
   where id = $1 and allocation_id = $2 and mine(organization_id) for update`,
);
const move = sql(
  'access-grant-move',
  `update allocation_access_grants set expires_at = $2 where id = $1 and mine(organization_id) returning ${columns}`,
);
const revoke = sql(
  'access-grant-revoke',
  `update allocation_access_grants
   set revoked_at = coalesce(revoked_at, act_time()), revoked_by = coalesce(revoked_by, $2::uuid)
   where id = $1 and mine(organization_id) returning ${columns}`,
);
/** A living member of the organization who may use allocations of the project, and whether a key belongs to that person. */
const grantee = sql(
  'access-grant-grantee',
  `select $4::uuid is null or exists (
       select from ssh_keys k where k.id = $4 and k.user_id = u.id and is_me(k.user_id)
     ) as has_key
   from users u
     join tenant_memberships m on m.user_id = u.id and m.organization_id = $2 and m.deleted_at is null
       and mine(m.organization_id)
     join allocations a on a.id = $3 and a.organization_id = m.organization_id and mine(a.organization_id)
     left join project_memberships p on p.project_id = a.project_id and p.user_id = u.id and p.deleted_at is null
       and mine(p.organization_id)
   where u.id = $1 and u.disabled_at is null and is_me(u.id) and (m.role = any ($5) or p.role = any ($5))
   limit 1`,
);

export async function insertGrant(
  tx: WriteTx,
  one: Omit<GrantRow, 'created_at' | 'revoked_at' | 'revoked_by' | 'is_active'>,
): Promise<GrantRow> {
  const [row] = await tx.rows<GrantRow>(insert, [
    ...[one.id, one.organization_id, one.project_id, one.allocation_id, one.user_id, one.ssh_key_id],
    ...[one.reason, one.granted_by, one.expires_at],
  ]);
  if (!row) throw new Error('an access grant was not written');
  return row;
}
export const listGrants = (
  tx: ReadTx,
  of: { readonly organizationId: string; readonly allocationId: string; readonly active: boolean | undefined },
  before: string | undefined,
  limit: number,
) => tx.rows<GrantRow>(list, [of.organizationId, of.allocationId, of.active ?? null, before ?? null, limit]);
/** Who has a grant that works now. */
export const listGrantees = async (tx: ReadTx, allocationId: string): Promise<string[]> =>
  (await tx.rows<{ user_id: string }>(active, [allocationId])).map(({ user_id }) => user_id);
/** The grant, and nobody else changes it until this act ends. */
export const holdGrant = async (tx: WriteTx, id: string, allocationId: string) =>
  (await tx.rows<GrantRow>(hold, [id, allocationId]))[0];
export const moveGrant = async (tx: WriteTx, id: string, expiresAt: Date) =>
  (await tx.rows<GrantRow>(move, [id, expiresAt]))[0];
export const revokeGrant = async (tx: WriteTx, id: string, by: string) =>
  (await tx.rows<GrantRow>(revoke, [id, by]))[0];
/** Undefined: no such person may get a grant. */
export const findGrantee = async (
  tx: ReadTx,
  of: {
    readonly userId: string;
    readonly organizationId: string;
    readonly allocationId: string;
    readonly sshKeyId: string | undefined;
    readonly roles: readonly string[];
  },
): Promise<{ readonly has_key: boolean } | undefined> =>
  (
    await tx.rows<{ has_key: boolean }>(grantee, [
      ...[of.userId, of.organizationId, of.allocationId, of.sshKeyId ?? null, of.roles],
    ])
  )[0];

import type { PersonalToken, PlatformRole, Scope, TenantRole } from '@gpuaas/contract';
import { type ReadTx, sql, type WriteTx } from '../../kernel/act.ts';

const insertSql = sql(
  'personal-token-insert',
  `insert into personal_tokens (id, user_id, name, prefix, token_hash, scopes, expires_at)
   values ($1, $2, $3, $4, decode($5, 'hex'), $6, $7)
   returning id, name, prefix, scopes, created_at, expires_at, revoked_at, null::timestamptz as last_used_at`,
);
const listSql = sql(
  'personal-token-list',
  `select t.id, t.name, t.prefix, t.scopes, t.created_at, t.expires_at, t.revoked_at, s.last_used_at
   from personal_tokens t left join credential_sightings s on s.credential_id = t.id
   where t.user_id = $1 and is_me(t.user_id) and ($2::uuid is null or t.id < $2)
   order by t.id desc limit $3`,
);
const revokeSql = sql(
  'personal-token-revoke',
  `update personal_tokens t set revoked_at = coalesce(revoked_at, act_time())
   where id = $1 and user_id = $2 and is_me(user_id)
   returning id, name, prefix, scopes, created_at, expires_at, revoked_at,
     (select s.last_used_at from credential_sightings s where s.credential_id = t.id) as last_used_at`,
);
const findSql = sql(
  'personal-token-find',
  `select t.id, u.oidc_issuer as issuer, u.oidc_subject as subject, t.scopes, t.expires_at as "expiresAt"
   from personal_tokens t join users u on u.id = t.user_id
   where t.token_hash = decode($1, 'hex') and t.revoked_at is null and is_me(t.user_id)`,
);
const heldSql = sql(
  'personal-token-roles',
  `select array(select m.role from tenant_memberships m
       where m.user_id = $1 and is_me(m.user_id) and m.deleted_at is null
       union select p.role from project_memberships p
       where p.user_id = $1 and is_me(p.user_id) and p.deleted_at is null) as tenant,
     array(select b.role from platform_role_bindings b
       where b.user_id = $1 and is_me(b.user_id) and b.deleted_at is null) as platform`,
);

interface Row {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly scopes: Scope[];
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly revoked_at: Date | null;
  readonly last_used_at: Date | null;
}
export const showToken = (row: Row): PersonalToken => ({
  id: row.id,
  name: row.name,
  prefix: row.prefix,
  scopes: row.scopes,
  created_at: row.created_at.toISOString(),
  expires_at: row.expires_at.toISOString(),
  revoked_at: row.revoked_at?.toISOString() ?? null,
  last_used_at: row.last_used_at?.toISOString() ?? null,
});

export async function insertToken(
  tx: WriteTx,
  token: {
    readonly id: string;
    readonly userId: string;
    readonly name: string;
    readonly prefix: string;
    readonly digest: string;
    readonly scopes: readonly Scope[];
    readonly expiresAt: Date;
  },
): Promise<Row> {
  const { id, userId, name, prefix, digest, scopes, expiresAt } = token;
  const [row] = await tx.rows<Row>(insertSql, [id, userId, name, prefix, digest, scopes, expiresAt]);
  if (!row) throw new Error('a personal token was not stored');
  return row;
}
export const listTokens = (tx: ReadTx, userId: string, before: string | undefined, limit: number) =>
  tx.rows<Row>(listSql, [userId, before ?? null, limit]);
export const revokeToken = async (tx: WriteTx, id: string, userId: string): Promise<Row | undefined> =>
  (await tx.rows<Row>(revokeSql, [id, userId]))[0];
export const findToken = async (tx: ReadTx, digest: string) =>
  (
    await tx.rows<{ id: string; issuer: string; subject: string; scopes: Scope[]; expiresAt: Date }>(findSql, [digest])
  )[0];
export async function rolesOf(
  tx: ReadTx,
  userId: string,
): Promise<{ readonly tenant: readonly TenantRole[]; readonly platform: readonly PlatformRole[] }> {
  const [row] = await tx.rows<{ tenant: TenantRole[]; platform: PlatformRole[] }>(heldSql, [userId]);
  return row ?? { tenant: [], platform: [] };
}

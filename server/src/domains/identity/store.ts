import type { PlatformRole } from '@gpuaas/contract';
import { type ReadTx, sql, type WriteTx } from '../../kernel/act.ts';

const find = sql(
  'identity-find',
  `select u.id, u.disabled_at is not null as disabled, coalesce(array_agg(b.role) filter (where b.role is not null), '{}') as platform_roles
   from users u left join platform_role_bindings b on b.user_id = u.id and b.deleted_at is null
   where u.oidc_issuer = $1 and u.oidc_subject = $2 group by u.id`,
);
const insert = sql(
  'identity-insert',
  `insert into users (id, oidc_issuer, oidc_subject) values ($1, $2, $3)
   on conflict (oidc_issuer, oidc_subject) do nothing returning id`,
);
const bind = sql(
  'identity-bind',
  `insert into platform_role_bindings as b (user_id, role, granted_by) values ($1, $2, $3)
   on conflict (user_id, role) do update
     set deleted_at = null, created_at = excluded.created_at, granted_by = excluded.granted_by
     where b.deleted_at is not null`,
);
export const findPerson = (tx: ReadTx, issuer: string, subject: string) =>
  tx.rows<{ id: string; disabled: boolean; platform_roles: PlatformRole[] }>(find, [issuer, subject]);

export async function insertUser(
  tx: WriteTx,
  user: { readonly id: string; readonly issuer: string; readonly subject: string },
): Promise<{ id: string } | undefined> {
  const [row] = await tx.rows<{ id: string }>(insert, [user.id, user.issuer, user.subject]);
  return row;
}

/** Answers how many were added: none for somebody who has the role already. */
export const insertBinding = (tx: WriteTx, personId: string, role: PlatformRole, grantedBy: string): Promise<number> =>
  tx.run(bind, [personId, role, grantedBy]);

import type { PlatformRole } from '@gpuaas/contract';
import { type ReadTx, sql, type WriteTx } from '../../kernel/act.ts';

const find = sql(
  'identity-find',
  `select u.id, coalesce(array_agg(b.role) filter (where b.role is not null), '{}') as platform_roles
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
  `insert into platform_role_bindings (user_id, role) values ($1, $2)
   on conflict (user_id, role) do update set deleted_at = null`,
);
export const findPerson = (tx: ReadTx, issuer: string, subject: string) =>
  tx.rows<{ id: string; platform_roles: PlatformRole[] }>(find, [issuer, subject]);

export async function insertUser(
  tx: WriteTx,
  user: { readonly id: string; readonly issuer: string; readonly subject: string },
): Promise<{ id: string } | undefined> {
  const [row] = await tx.rows<{ id: string }>(insert, [user.id, user.issuer, user.subject]);
  return row;
}

export const insertBinding = (tx: WriteTx, personId: string, role: PlatformRole) => tx.run(bind, [personId, role]);

import type { PlatformRole } from '@gpuaas/contract';
import { type ReadTx, sql, type WriteTx } from '../../kernel/act.ts';
import type { FloorRow } from './sign-in-floors-store.ts';

const find = sql(
  'identity-find',
  `select u.id, u.disabled_at is not null as disabled, array(
       select role from platform_role_bindings b where b.user_id = u.id and b.deleted_at is null
     ) as platform_roles,
     f.not_before, f.spared_session, f.spared_sign_in, f.spared_token, exists (
       select from account_sessions s
       where s.user_id = u.id and s.provider_session_id = $3 and s.revoked_at is not null
     ) as is_session_revoked
   from users u left join sign_in_floors f on f.user_id = u.id
   where u.oidc_issuer = $1 and u.oidc_subject = $2`,
);
const insert = sql(
  'identity-insert',
  `insert into users (id, oidc_issuer, oidc_subject) values ($1, $2, $3)
   on conflict (oidc_issuer, oidc_subject) do nothing returning id`,
);
const name = sql('identity-name', 'insert into user_names (user_id, display_name) values ($1, $2)');
const bind = sql(
  'identity-bind',
  `insert into platform_role_bindings as b (user_id, role, granted_by) values ($1, $2, $3)
   on conflict (user_id, role) do update
     set deleted_at = null, created_at = excluded.created_at, granted_by = excluded.granted_by
     where b.deleted_at is not null`,
);
export interface PersonRow extends FloorRow {
  readonly id: string;
  readonly disabled: boolean;
  readonly platform_roles: PlatformRole[];
  readonly is_session_revoked: boolean;
}
/** The person, with what was revoked of their sign-ins and of the named one. */
export const findPerson = (tx: ReadTx, issuer: string, subject: string, sessionId: string | undefined) =>
  tx.rows<PersonRow>(find, [issuer, subject, sessionId ?? null]);

export async function insertUser(
  tx: WriteTx,
  user: { readonly id: string; readonly issuer: string; readonly subject: string },
): Promise<{ id: string } | undefined> {
  const [row] = await tx.rows<{ id: string }>(insert, [user.id, user.issuer, user.subject]);
  return row;
}

export const insertName = (tx: WriteTx, personId: string, displayName: string) => tx.run(name, [personId, displayName]);

/** Returns how many were added: none for a person who has the role already. */
export const insertBinding = (tx: WriteTx, personId: string, role: PlatformRole, grantedBy: string): Promise<number> =>
  tx.run(bind, [personId, role, grantedBy]);

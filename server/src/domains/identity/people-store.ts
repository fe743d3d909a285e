import type { AdminUser, AdminUserDetail, PlatformRole, PlatformRoleHolder, TenantRole } from '@gpuaas/contract';
import { type ReadTx, sql, type WriteTx } from '../../kernel/act.ts';

/** Operators look over the walls around people; everybody else finds only themselves here. */
const listSql = sql(
  'people-list',
  `select u.id, i.username, n.display_name, u.oidc_issuer as issuer, u.oidc_subject as subject, u.disabled_at,
     u.disabled_reason, u.erased_at, u.created_at,
     array(select b.role from platform_role_bindings b
       where b.user_id = u.id and is_me(b.user_id) and b.deleted_at is null order by b.role) as platform_roles,
     (select count(*)::int from tenant_memberships m
       where m.user_id = u.id and is_me(m.user_id) and m.deleted_at is null) as organizations,
     (select max(s.last_seen_at) from account_sessions s
       where s.user_id = u.id and is_me(s.user_id)) as last_seen_at
   from users u join user_posix_identities i on i.user_id = u.id and is_me(i.user_id)
     left join user_names n on n.user_id = u.id and is_me(n.user_id)
   where is_me(u.id) and ($1::uuid is null or u.id < $1) and ($2::uuid[] is null or u.id = any ($2))
     and ($3::text is null or u.id::text = $3 or strpos(lower(u.oidc_subject), lower($3)) > 0
       or strpos(i.username, lower($3)) > 0 or strpos(lower(n.display_name), lower($3)) > 0)
     and ($4::text is null or $4 = case when u.erased_at is not null then 'erased'
       when u.disabled_at is not null then 'disabled' else 'active' end)
   order by u.id desc limit $5`,
);
const organizationsSql = sql(
  'people-organizations',
  `select m.organization_id, o.name, m.role, m.created_at as joined_at
   from tenant_memberships m join organizations o on o.id = m.organization_id and mine(o.id)
   where m.user_id = $1 and is_me(m.user_id) and mine(m.organization_id) and m.deleted_at is null
     and o.deleted_at is null
   order by m.created_at, m.organization_id limit $2`,
);
const countsSql = sql(
  'people-counts',
  `select
     (select count(*)::int from account_sessions s where s.user_id = $1 and is_me(s.user_id)
       and s.revoked_at is null and s.expires_at > act_time()) as sessions,
     (select count(*)::int from personal_tokens t where t.user_id = $1 and is_me(t.user_id)
       and t.revoked_at is null and t.expires_at > act_time()) as personal_tokens,
     (select count(*)::int from ssh_keys k where k.user_id = $1 and is_me(k.user_id)) as ssh_keys,
     (select count(*)::int from allocations a where a.requested_by = $1::uuid::text and mine(a.organization_id)
       and a.state not in ('released', 'failed')) as allocations`,
);
const lockSql = sql(
  'people-lock',
  `select u.id, u.oidc_issuer as issuer, u.oidc_subject as subject, u.disabled_at, u.erased_at,
     array(select b.role from platform_role_bindings b
       where b.user_id = u.id and is_me(b.user_id) and b.deleted_at is null) as platform_roles
   from users u where u.id = $1 and is_me(u.id) for no key update`,
);
const holdsSql = sql(
  'people-holds',
  `select role from platform_role_bindings where user_id = $1 and is_me(user_id) and role = $2 and deleted_at is null`,
);
const disableSql = sql(
  'people-disable',
  `update users set disabled_at = coalesce(disabled_at, act_time()), disabled_reason = $2
   where id = $1 and is_me(id) and erased_at is null`,
);
const enableSql = sql(
  'people-enable',
  'update users set disabled_at = null, disabled_reason = null where id = $1 and is_me(id) and erased_at is null',
);
const revokeTokensSql = sql(
  'people-tokens-revoke',
  `update personal_tokens set revoked_at = act_time() where user_id = $1 and is_me(user_id) and revoked_at is null
   returning id, expires_at`,
);
const endBrowsersSql = sql(
  'people-browsers-end',
  `update console_sessions set ended_at = act_time(), end_reason = $2
   where user_id = $1 and is_me(user_id) and ended_at is null`,
);
/** Organizations that would be left without an owner, though others belong to them. */
const orphanedSql = sql(
  'people-orphaned',
  `select o.id, o.name from tenant_memberships m join organizations o on o.id = m.organization_id and mine(o.id)
   where m.user_id = $1 and is_me(m.user_id) and mine(m.organization_id) and m.role = 'owner'
     and m.deleted_at is null and o.deleted_at is null
     and not exists (select from tenant_memberships x where x.organization_id = o.id and mine(x.organization_id)
       and x.user_id <> $1 and x.role = 'owner' and x.deleted_at is null)
     and exists (select from tenant_memberships x where x.organization_id = o.id and mine(x.organization_id)
       and x.user_id <> $1 and x.deleted_at is null)
   order by o.id limit $2`,
);
/** What the person created, and what runs in organizations that nobody else belongs to. */
const runningSql = sql(
  'people-running',
  `select a.id from allocations a
   where mine(a.organization_id) and a.state not in ('released', 'failed') and (a.requested_by = $1::uuid::text or (
     exists (select from tenant_memberships m where m.organization_id = a.organization_id
       and mine(m.organization_id) and m.user_id = $1 and m.deleted_at is null)
     and not exists (select from tenant_memberships m where m.organization_id = a.organization_id
       and mine(m.organization_id) and m.user_id <> $1 and m.deleted_at is null)))
   order by a.id limit $2`,
);
const eraseSql = sql('people-erase', 'select person_erase($1, $2)');
const unbindSql = sql(
  'people-role-revoke',
  `update platform_role_bindings set deleted_at = act_time()
   where user_id = $1 and is_me(user_id) and role = $2 and deleted_at is null`,
);
const holdersSql = sql(
  'people-role-holders',
  `select u.id as user_id, i.username, n.display_name, u.disabled_at, u.erased_at,
     jsonb_agg(jsonb_build_object('role', b.role, 'granted_at', b.created_at, 'granted_by', b.granted_by)
       order by b.role) as roles
   from platform_role_bindings b join users u on u.id = b.user_id and is_me(u.id)
     join user_posix_identities i on i.user_id = u.id and is_me(i.user_id)
     left join user_names n on n.user_id = u.id and is_me(n.user_id)
   where is_me(b.user_id) and b.deleted_at is null and ($1::uuid is null or u.id < $1)
   group by u.id, i.username, n.display_name order by u.id desc limit $2`,
);

interface Standing {
  readonly disabled_at: Date | null;
  readonly erased_at: Date | null;
}
export interface PersonRow extends Standing {
  readonly id: string;
  readonly username: string;
  readonly display_name: string | null;
  readonly issuer: string;
  readonly subject: string;
  readonly disabled_reason: string | null;
  readonly platform_roles: PlatformRole[];
  readonly organizations: number;
  readonly last_seen_at: Date | null;
  readonly created_at: Date;
}
export interface LockedPerson extends Standing {
  readonly id: string;
  readonly issuer: string;
  readonly subject: string;
  readonly platform_roles: readonly PlatformRole[];
}
interface HolderRow extends Standing {
  readonly user_id: string;
  readonly username: string;
  readonly display_name: string | null;
  readonly roles: readonly { role: PlatformRole; granted_at: string; granted_by: string | null }[];
}

const stateOf = ({ disabled_at, erased_at }: Standing): AdminUser['state'] =>
  erased_at ? 'erased' : disabled_at ? 'disabled' : 'active';

export const showPerson = ({ erased_at, ...row }: PersonRow): AdminUser => ({
  ...row,
  state: stateOf({ ...row, erased_at }),
  disabled_at: row.disabled_at?.toISOString() ?? null,
  last_seen_at: row.last_seen_at?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
});
export const showHolder = ({ disabled_at, erased_at, roles, ...row }: HolderRow): PlatformRoleHolder => ({
  ...row,
  state: stateOf({ disabled_at, erased_at }),
  roles: roles.map((each) => ({ ...each, granted_at: new Date(each.granted_at).toISOString() })),
});

export const listPeople = (
  tx: ReadTx,
  wanted: {
    readonly before?: string | undefined;
    readonly q?: string;
    readonly state?: string;
    readonly ids?: readonly string[];
    readonly limit: number;
  },
) =>
  tx.rows<PersonRow>(listSql, [
    wanted.before ?? null,
    wanted.ids ?? null,
    wanted.q ?? null,
    wanted.state ?? null,
    wanted.limit,
  ]);
export const findPersonById = async (tx: ReadTx, id: string): Promise<PersonRow | undefined> =>
  (await tx.rows<PersonRow>(listSql, [null, [id], null, null, 1]))[0];
export const organizationsOf = async (
  tx: ReadTx,
  id: string,
  limit: number,
): Promise<AdminUserDetail['organization_list']> =>
  (
    await tx.rows<{ organization_id: string; name: string; role: TenantRole; joined_at: Date }>(organizationsSql, [
      id,
      limit,
    ])
  ).map((row) => ({ ...row, joined_at: row.joined_at.toISOString() }));
type Counts = Pick<AdminUserDetail, 'sessions' | 'personal_tokens' | 'ssh_keys' | 'allocations'>;
export const countsOf = async (tx: ReadTx, id: string): Promise<Counts> =>
  (await tx.rows<Counts>(countsSql, [id]))[0] ?? { sessions: 0, personal_tokens: 0, ssh_keys: 0, allocations: 0 };

export const lockPerson = async (tx: WriteTx, id: string): Promise<LockedPerson | undefined> =>
  (await tx.rows<LockedPerson>(lockSql, [id]))[0];
export const holdsRole = async (tx: ReadTx, id: string, role: PlatformRole): Promise<boolean> =>
  (await tx.rows(holdsSql, [id, role])).length > 0;
export const disablePerson = (tx: WriteTx, id: string, reason: string) => tx.run(disableSql, [id, reason]);
export const enablePerson = (tx: WriteTx, id: string) => tx.run(enableSql, [id]);
export const revokeTokensOf = (tx: WriteTx, id: string) =>
  tx.rows<{ id: string; expires_at: Date }>(revokeTokensSql, [id]);
export const endBrowsersOf = (tx: WriteTx, id: string, reason: string) => tx.run(endBrowsersSql, [id, reason]);
export const orphanedBy = (tx: ReadTx, id: string, limit: number) =>
  tx.rows<{ id: string; name: string }>(orphanedSql, [id, limit]);
export const runningOf = (tx: ReadTx, id: string, limit: number) => tx.rows<{ id: string }>(runningSql, [id, limit]);
/** Erases the person, and invitations to any of the mail addresses. */
export const erasePerson = (tx: WriteTx, id: string, mails: readonly string[]) => tx.rows(eraseSql, [id, mails]);
export const removeBinding = (tx: WriteTx, id: string, role: PlatformRole): Promise<number> =>
  tx.run(unbindSql, [id, role]);
export const listHolders = (tx: ReadTx, before: string | undefined, limit: number) =>
  tx.rows<HolderRow>(holdersSql, [before ?? null, limit]);

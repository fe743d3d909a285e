import { type TenantRole, tenantRoles } from '@gpuaas/contract';
import type { TaskParams } from '@gpuaas/contract/node';
import type { TerminalEndReason } from '@gpuaas/contract/terminal';
import { type ReadTx, sql } from '../../kernel/act.ts';

/** The roles, in an organization or a project, that may work in an allocation of their own. */
export const writers = (Object.keys(tenantRoles) as TenantRole[]).filter((role) =>
  tenantRoles[role].includes('allocations:write'),
);
/** The roles that may open a terminal in any allocation there, and watch the terminals of others. */
export const administrators: readonly TenantRole[] = ['owner', 'admin'];
export const isAdministrator = (role: string): boolean => (administrators as readonly string[]).includes(role);

export interface TargetRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly state: string;
  /** Set while its machine is stopped, or on the way there or back. */
  readonly stop_phase: string | null;
  readonly requested_by: string;
  readonly generation: bigint;
  readonly node_id: string | null;
  readonly simulated: boolean;
  readonly login: TaskParams<'terminal.open'>['login'] | null;
}
const target = sql(
  'terminal-target',
  `select a.id, a.organization_id, a.project_id, a.state, a.stop_phase, a.requested_by, a.generation, a.node_id,
     coalesce(n.simulated, false) as simulated, a.login
   from allocations a left join nodes n on n.id = a.node_id
   where a.id = $1 and mine(a.organization_id)`,
);
const rights = sql(
  'terminal-rights',
  `select coalesce(bool_or(m.role = any ($3) or p.role = any ($3)), false) as administers,
     coalesce(bool_or(m.role = any ($4) or p.role = any ($4)), false) as writes,
     coalesce(bool_or(exists (
         select from allocation_access_grants g
         where g.allocation_id = a.id and g.user_id = m.user_id and g.revoked_at is null
           and g.expires_at > act_time() and mine(g.organization_id)
       )), false) as granted
   from allocations a
     join tenant_memberships m on m.organization_id = a.organization_id and m.user_id = $2 and m.deleted_at is null
       and mine(m.organization_id)
     join users u on u.id = m.user_id and u.disabled_at is null and is_me(u.id)
     left join project_memberships p on p.project_id = a.project_id and p.user_id = m.user_id and p.deleted_at is null
       and mine(p.organization_id)
   where a.id = $1 and mine(a.organization_id)`,
);
const granted = sql(
  'terminal-granted',
  `select g.expires_at from allocation_access_grants g
   where g.allocation_id = $1 and g.user_id = $2::uuid and g.revoked_at is null and g.expires_at > act_time()
     and mine(g.organization_id)
   order by g.expires_at desc limit 1`,
);
/** Whether the sign-ins of a person were ended at a moment or after it. */
const signedOut = sql(
  'terminal-signed-out',
  'select from sign_in_floors where user_id = $1 and not_before >= $2 and is_me(user_id)',
);
/**
 * Sessions that have to end, with the reason. The first one that holds is named. A session does not know the sign-in that opened
 * it, so ending the other sign-ins ends the sessions of the spared one, too. A session of the jump host ends with the key or the certificate
 * that opened it. Renewing revokes no certificate: where one was
 * revoked since the shell came, the node may have come with it.
 */
const due = sql(
  'terminal-sessions-due',
  `select d.id, d.reason from (
     select s.id, case
       when a.state <> 'active' or a.node_id is distinct from s.node_id then 'allocation_ended'
       when not exists (
         select from tenant_memberships m
           join users u on u.id = m.user_id and u.disabled_at is null and is_me(u.id)
           left join project_memberships p on p.project_id = s.project_id and p.user_id = m.user_id
             and p.deleted_at is null and mine(p.organization_id)
         where m.organization_id = s.organization_id and m.user_id = s.user_id and m.deleted_at is null
           and mine(m.organization_id)
           and (m.role = any ($2) or p.role = any ($2)
             or ((a.requested_by = s.user_id::text or exists (
         select from allocation_access_grants g
         where g.allocation_id = a.id and g.user_id = s.user_id and g.revoked_at is null
           and g.expires_at > act_time() and mine(g.organization_id)
       ))
               and (m.role = any ($3) or p.role = any ($3))))
       ) or exists (
         select from sign_in_floors f
         where f.user_id = s.user_id and f.not_before >= s.created_at and is_me(f.user_id)
       ) or (s.ssh_key_id is not null and not exists (
         select from ssh_keys k where k.id = s.ssh_key_id and k.user_id = s.user_id and is_me(k.user_id)
       )) or (s.ssh_certificate_id is not null and not exists (
         select from ssh_certificates c
         where c.id = s.ssh_certificate_id and c.revoked_at is null and mine(c.organization_id)
           and not exists (
             select from sign_in_floors f
             where f.user_id = c.user_id and f.not_before >= c.created_at and is_me(f.user_id)
           )
       )) then 'rights_lost'
       when n.state in ('removing', 'deleted') or not exists (
         select from node_certificates c where c.node_id = n.id and c.revoked_at is null and c.not_after > $1
       ) or exists (
         select from node_certificates c where c.node_id = n.id and c.revoked_at >= s.opened_at
       ) then 'node_lost'
       when s.expires_at <= $1 then 'time_over'
       when s.state = 'opening' and s.open_by <= $1 then 'never_opened'
     end as reason
     from terminal_sessions s
       join allocations a on a.id = s.allocation_id and mine(a.organization_id)
       join nodes n on n.id = s.node_id
     where s.state <> 'ended' and mine(s.organization_id)
   ) d where d.reason is not null order by d.id limit $4`,
);

export const findTarget = async (tx: ReadTx, allocationId: string): Promise<TargetRow | undefined> =>
  (await tx.rows<TargetRow>(target, [allocationId]))[0];
/** Whether a person, by the rows of this moment, may use terminals of an allocation, and whether by a role of an administrator. */
export async function readRights(
  tx: ReadTx,
  of: Pick<TargetRow, 'id' | 'requested_by'>,
  userId: string,
): Promise<{ readonly uses: boolean; readonly administers: boolean }> {
  const [row] = await tx.rows<{ administers: boolean; writes: boolean; granted: boolean }>(rights, [
    ...[of.id, userId, administrators, writers],
  ]);
  const administers = row?.administers ?? false;
  const isAsked = of.requested_by === userId || (row?.granted ?? false);
  return { administers, uses: administers || (isAsked && (row?.writes ?? false)) };
}
/** Until when a person has a grant to work in an allocation; undefined without one. */
export const grantedUntil = async (tx: ReadTx, allocationId: string, userId: string): Promise<Date | undefined> =>
  (await tx.rows<{ expires_at: Date }>(granted, [allocationId, userId]))[0]?.expires_at;
export const isSignedOutSince = async (tx: ReadTx, userId: string, since: Date): Promise<boolean> =>
  (await tx.rows(signedOut, [userId, since])).length > 0;
export const listDue = (tx: ReadTx, now: Date, limit: number) =>
  tx.rows<{ id: string; reason: TerminalEndReason }>(due, [now, administrators, writers, limit]);

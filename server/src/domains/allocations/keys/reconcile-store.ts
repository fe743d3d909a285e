import { sql } from '../../../kernel/act.ts';

/**
 * A key `k` that does not belong on its allocation: it was deleted, the grant that put it there has ended, or its owner left the
 * organization, was disabled, or has no role any more ($2) that could put a key there.
 */
const isStale = `(
     not exists (select from ssh_keys s where s.id = k.ssh_key_id)
     or (k.grant_id is not null and not exists (
       select from allocation_access_grants g
       where g.id = k.grant_id and g.revoked_at is null and g.expires_at > act_time() and mine(g.organization_id)
     ))
     or (k.user_id is not null and not exists (
       select from tenant_memberships m join users u on u.id = m.user_id and u.disabled_at is null and is_me(u.id)
       where m.user_id = k.user_id and m.organization_id = k.organization_id and m.deleted_at is null
         and mine(m.organization_id) and (m.role = any ($2) or exists (
           select from project_memberships p
           join allocations o on o.project_id = p.project_id and o.id = k.allocation_id and mine(o.organization_id)
           where p.user_id = k.user_id and p.role = any ($2) and p.deleted_at is null and mine(p.organization_id)
         ))
     ))
   )`;
/** The keys that grants put on an allocation `a`, and that are not there yet. */
const missing = `
       from allocation_access_grants g
         join ssh_keys s on s.user_id = g.user_id and (g.ssh_key_id is null or s.id = g.ssh_key_id) and is_me(s.user_id)
         join tenant_memberships m on m.user_id = g.user_id and m.organization_id = g.organization_id
           and m.deleted_at is null and mine(m.organization_id)
         join users u on u.id = m.user_id and u.disabled_at is null and is_me(u.id)
         left join project_memberships p on p.project_id = g.project_id and p.user_id = g.user_id
           and p.deleted_at is null and mine(p.organization_id)
       where g.allocation_id = a.id and g.revoked_at is null and g.expires_at > act_time() and mine(g.organization_id)
         and (m.role = any ($2) or p.role = any ($2))
         and not exists (
           select from allocation_ssh_keys k
           where k.allocation_id = a.id and k.ssh_key_id = s.id and mine(k.organization_id)
         )`;
/**
 * Allocations with a key too many or too few, whose last installation of keys failed, or whose machine was sent other authorities than
 * those of this moment. A stopped machine gets no task: it gets all keys when it has started.
 */
export const staleSql = sql(
  'authorized-keys-stale',
  `select a.id from allocations a left join nodes n on n.id = a.node_id
   where a.state in ('requested', 'active') and mine(a.organization_id) and (
     exists (
       select from allocation_ssh_keys k where k.allocation_id = a.id and mine(k.organization_id) and ${isStale}
     )
     or exists (select ${missing})
     or (a.state = 'active' and a.stop_phase is null and (
       select t.state from node_tasks t
       where t.allocation_id = a.id and mine(t.organization_id) and t.generation = a.generation
         and t.task_type = 'allocation.install_authorized_keys'
       order by t.id desc limit 1
     ) in ('failed', 'expired'))
     or (a.state = 'active' and a.stop_phase is null and n.abilities @> '["ssh_certificates"]' and (
       select t.envelope -> 'params' -> 'trusted_authorities' from node_tasks t
       where t.allocation_id = a.id and mine(t.organization_id) and t.generation = a.generation
         and t.task_type in ('slice.vm_provision', 'allocation.provision_user', 'allocation.install_authorized_keys')
       order by t.id desc limit 1
     ) is distinct from ssh_trusted_authorities())
   )
   and ($3::uuid is null or a.id > $3) order by a.id limit $1`,
);
export const dropSql = sql(
  'authorized-keys-drop',
  `delete from allocation_ssh_keys k
   where k.allocation_id = $1 and mine(k.organization_id) and ${isStale} returning k.fingerprint`,
);
export const addSql = sql(
  'authorized-keys-add',
  `insert into allocation_ssh_keys (allocation_id, organization_id, ssh_key_id, user_id, fingerprint, public_key, grant_id)
   select a.id, a.organization_id, x.id, x.user_id, x.fingerprint, x.public_key, x.grant_id
   from allocations a, lateral (
     select distinct on (s.id) s.id, s.user_id, s.fingerprint, s.public_key, g.id as grant_id ${missing} order by s.id, g.id
   ) x
   where a.id = $1 and mine(a.organization_id)
   on conflict do nothing returning fingerprint`,
);
/** What the host of an allocation is sent, where it can use it. */
export const authoritiesSql = sql(
  'allocation-authorities',
  `select case when n.abilities @> '["ssh_certificates"]' then ssh_trusted_authorities() end as authorities
   from nodes n where n.id = $1`,
);

import { sql } from '../../../kernel/act.ts';

/**
 * A key `k` that does not belong on its allocation: it was deleted, or its owner left the organization, was disabled, or
 * has no role any more ($2) that could put a key there.
 */
const isStale = `(
     not exists (select from ssh_keys s where s.id = k.ssh_key_id)
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
/** Allocations with such a key, or whose last installation of keys failed. */
export const staleSql = sql(
  'authorized-keys-stale',
  `select a.id from allocations a
   where a.state in ('requested', 'active') and mine(a.organization_id) and (
     exists (
       select from allocation_ssh_keys k where k.allocation_id = a.id and mine(k.organization_id) and ${isStale}
     )
     or (a.state = 'active' and (
       select t.state from node_tasks t
       where t.allocation_id = a.id and mine(t.organization_id) and t.generation = a.generation
         and t.task_type = 'allocation.install_authorized_keys'
       order by t.id desc limit 1
     ) in ('failed', 'expired'))
   )
   and ($3::uuid is null or a.id > $3) order by a.id limit $1`,
);
export const dropSql = sql(
  'authorized-keys-drop',
  `delete from allocation_ssh_keys k
   where k.allocation_id = $1 and mine(k.organization_id) and ${isStale} returning k.fingerprint`,
);

import { sql } from '../../kernel/act.ts';

/** Tenants as those see them who look after the platform. They look over every wall, and change nothing here. */
export const listSql = sql(
  'operator-organizations',
  `select o.id, o.type, o.name, o.slug, o.currency, o.plan, o.created_at,
     (select count(*)::int from projects p where p.organization_id = o.id and p.state <> 'deleted') as projects,
     (select count(*)::int from tenant_memberships m where m.organization_id = o.id and m.deleted_at is null) as members,
     live.allocations, live.gpus, owner.name as owner_name
   from organizations o cross join lateral (
     select count(*)::int as allocations, coalesce(sum(a.gpu_count), 0)::int as gpus from allocations a
     where a.organization_id = o.id and a.state not in ('released', 'failed')
   ) live left join lateral (
     select coalesce(n.display_name, i.username) as name from tenant_memberships m
       join user_posix_identities i on i.user_id = m.user_id left join user_names n on n.user_id = m.user_id
     where o.type = 'personal' and m.organization_id = o.id and m.role = 'owner' and m.deleted_at is null
     order by m.created_at limit 1
   ) owner on true
   where mine(o.id) and o.deleted_at is null and ($1::uuid is null or o.id < $1) and ($4::uuid is null or o.id = $4)
     and ($2::text is null or o.id::text = $2 or strpos(lower(o.name), lower($2)) > 0 or strpos(o.slug, lower($2)) > 0
       or strpos(lower(owner.name), lower($2)) > 0)
   order by o.id desc limit $3`,
);
export const projectsSql = sql(
  'operator-organization-projects',
  `select p.id, p.name, p.slug, p.state, p.created_at, (
     select count(*)::int from allocations a
     where a.project_id = p.id and a.organization_id = p.organization_id and a.state not in ('released', 'failed')
   ) as allocations
   from projects p where p.organization_id = $1 and mine(p.organization_id) and p.state <> 'deleted'
   order by p.id limit $2`,
);
export const membersSql = sql(
  'operator-organization-members',
  `select m.user_id, m.role, m.created_at as joined_at, (
     select max(s.last_seen_at) from account_sessions s where s.user_id = m.user_id
   ) as last_seen_at
   from tenant_memberships m where m.organization_id = $1 and mine(m.organization_id) and m.deleted_at is null
   order by m.created_at, m.user_id limit $2`,
);
export const policiesSql = sql(
  'operator-organization-policies',
  `select v.id, v.key, v.level, v.subject_id, v.value, v.hard, v.reason, v.updated_at from policy_values v
   where (v.level = 'organization' and v.subject_id = $1::uuid::text) or (v.level = 'plan' and v.subject_id = $2)
     or (v.level = 'project' and v.subject_id in (
       select p.id::text from projects p where p.organization_id = $1 and mine(p.organization_id)
     ))
   order by v.key, v.level, v.subject_id limit $3`,
);

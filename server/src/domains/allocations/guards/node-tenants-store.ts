import { sql } from '../../../kernel/act.ts';

export const stayingSql = sql(
  'allocation-staying',
  `select id, state from allocations
   where node_id = $1 and mine(organization_id) and (state in ('requested', 'provisioning', 'active')
     or (state = 'release_failed' and release_attempts < $2)) order by id limit $3`,
);
export const lockSql = sql(
  'allocation-notice-lock',
  `select a.organization_id, a.project_id, a.version, coalesce(n.simulated, false) as simulated
   from allocations a left join nodes n on n.id = a.node_id
   where a.id = $1 and a.state in ('requested', 'provisioning', 'active') and mine(a.organization_id) for update of a`,
);
/** The last notice that the allocation got about its host. */
export const lastWordSql = sql(
  'allocation-notice-last',
  `select name, detail ->> 'deadline_at' as deadline_at from allocation_timeline
   where allocation_id = $1 and kind = 'note' and name = any ($2) and mine(organization_id) order by id desc limit 1`,
);

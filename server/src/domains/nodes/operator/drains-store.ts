import { sql } from '../../../kernel/act.ts';

export const drainingSql = sql(
  'node-draining',
  `select n.id, n.name, n.region, n.state, n.state_reason, n.drain_deadline_at <= $1 as overdue,
     exists (select from allocations a
       where a.node_id = n.id and a.state not in ('released', 'failed') and mine(a.organization_id))
     or exists (select from slots s where s.node_id = n.id and s.state in ('reserved', 'in_use', 'cleaning')) as busy
   from nodes n where n.state = 'draining' and ($2::uuid is null or n.id > $2) order by n.id limit $3`,
);

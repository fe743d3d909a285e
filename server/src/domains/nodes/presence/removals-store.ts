import { sql } from '../../../kernel/act.ts';

export const removableSql = sql(
  'node-removable',
  `select n.id, n.version from nodes n
   where n.state = 'removing'
     and not exists (select from allocations a
       where a.node_id = n.id and a.state not in ('released', 'failed') and mine(a.organization_id))
     and not exists (select from slots s
       where s.node_id = n.id and s.state in ('reserved', 'in_use', 'cleaning', 'cleanup_blocked'))
   order by n.id limit $1`,
);

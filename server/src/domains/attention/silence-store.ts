import { sql } from '../../kernel/act.ts';

export const silentSql = sql(
  'alert-silence',
  `select n.id, r.reported_at, a.id is null as is_new from nodes n left join node_reports r on r.node_id = n.id
     left join alerts a on a.node_id = n.id and a.source = 'presence'
   where n.state in ('enrolling', 'active', 'offline', 'quarantined', 'draining')
     and ((a.id is null and $1::timestamptz is not null and coalesce(r.reported_at, n.updated_at) < $1)
       or (a.id is not null and r.reported_at >= $2))
     or (a.id is not null and n.state not in ('enrolling', 'active', 'offline', 'quarantined', 'draining'))
   order by n.id limit $3`,
);

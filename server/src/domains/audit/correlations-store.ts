import { sql } from '../../kernel/act.ts';

/**
 * Everything that one request led to. Every act carries the correlation id of the request that began it, through events
 * and sagas down to the tasks of a node; the audit log is where all of them are found by it. What else was written by
 * those acts hangs on their rows: events by the transaction that they were written in, tasks and timelines by the
 * allocation that was acted on. So nothing but the audit log needs an index by correlation, and none is kept for this.
 */
export const actsSql = sql(
  'correlation-acts',
  `select l.id, l.organization_id, l.project_id, l.actor_id, l.actor_kind, l.action, l.target_type, l.target_id, l.result,
     audit_change(l.id, l.change) as change, l.created_at
   from audit_logs l
   where l.correlation_id = $1 and (l.organization_id is null or mine(l.organization_id))
     and ($2::uuid is null or l.project_id = $2 or (l.target_type = 'project' and l.target_id = $2::uuid::text))
   order by l.id limit $3`,
);
export const eventsSql = sql(
  'correlation-events',
  `with acts as materialized (
     select distinct transaction_id from audit_logs
     where correlation_id = $1 and (organization_id is null or mine(organization_id))
   )
   select e.event_id, e.subject, e.key, e.organization_id, e.envelope, e.created_at
   from acts s cross join lateral (
     select o.* from outbox_events o
     where o.transaction_id = s.transaction_id and (o.organization_id is null or mine(o.organization_id))
       and o.envelope ->> 'correlation_id' = $1
       and ($2::uuid is null or o.envelope ->> 'project_id' = $2::uuid::text)
     order by o.position limit $3
   ) e
   order by e.position limit $3`,
);
export const tasksSql = sql(
  'correlation-tasks',
  `with acts as materialized (
     select distinct case when target_type = 'allocation' and target_id ~ '^[0-9a-f-]{36}$' then target_id::uuid end
         as allocation_id,
       case when change ->> 'task_id' ~ '^[0-9a-f-]{36}$' then (change ->> 'task_id')::uuid end as task_id
     from audit_logs where correlation_id = $1 and (organization_id is null or mine(organization_id))
   ), found as materialized (
     select o.id from acts s cross join lateral (
       select k.id from node_tasks k
       where k.allocation_id = s.allocation_id and k.correlation_id = $1 and mine(k.organization_id)
       order by k.id limit $3
     ) o
     union select s.task_id from acts s where s.task_id is not null
   )
   select t.id, t.task_type, t.state, t.failure_code, t.node_id, n.name as node_name, t.allocation_id,
     t.organization_id, a.project_id, t.issued_at, t.dispatched_at, t.finished_at
   from found f join node_tasks t on t.id = f.id join nodes n on n.id = t.node_id
   left join allocations a on a.id = t.allocation_id and a.organization_id = t.organization_id and mine(a.organization_id)
   where t.correlation_id = $1 and (t.organization_id is null or mine(t.organization_id))
     and ($2::uuid is null or a.project_id = $2)
   order by t.id limit $3`,
);
export const timelineSql = sql(
  'correlation-timeline',
  `with acts as materialized (
     select distinct target_id as allocation_id from audit_logs
     where correlation_id = $1 and (organization_id is null or mine(organization_id))
       and target_type = 'allocation' and target_id ~ '^[0-9a-f-]{36}$'
   )
   select t.allocation_id, t.organization_id, a.project_id, t.at, t.kind, t.name, t.from_state, t.to_state, t.detail
   from acts s cross join lateral (
     select l.* from allocation_timeline l
     where l.allocation_id = s.allocation_id::uuid and l.correlation_id = $1 and mine(l.organization_id)
     order by l.id limit $3
   ) t
     join allocations a on a.id = t.allocation_id and a.organization_id = t.organization_id and mine(a.organization_id)
   where $2::uuid is null or a.project_id = $2
   order by t.id limit $3`,
);
/** Few at any time; many of them would be a problem of their own. */
export const deadSql = sql(
  'correlation-dead-letters',
  `select seq::text as seq, event_id, consumer, organization_id, envelope, attempts, reason, state, created_at
   from dead_letters
   where envelope ->> 'correlation_id' = $1 and (organization_id is null or mine(organization_id))
   order by dead_letters.seq limit $2`,
);

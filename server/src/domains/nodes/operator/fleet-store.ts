import { sql } from '../../../kernel/act.ts';

/**
 * Who has been too long in one place. A timeline is a row of moments, and a phase is what lies between one and the next,
 * whatever its name: that makes transitions and the phases of a node comparable without a list of them. What is usual
 * comes from the newest moments of the last days, found by their time-ordered ids and bounded in number; who is in a
 * phase is the last moment of those that are on their way. Waiting in the queue is no phase, and an active allocation is
 * where it should be.
 */
export const stuckSql = sql(
  'allocations-stuck',
  `with moments as (
     select t.allocation_id, t.at, t.id,
       case when t.kind = 'transition' then t.to_state else concat_ws(' ', t.name, t.detail ->> 'state') end as phase,
       lead(t.at) over (partition by t.allocation_id order by t.id) as ended_at
     from (
       select * from allocation_timeline
       where kind in ('transition', 'phase') and mine(organization_id)
         and id >= (lpad(to_hex((extract(epoch from $2::timestamptz) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid
       order by id desc limit $5
     ) t
   ), usual as (
     select phase, percentile_cont(0.99) within group (order by extract(epoch from ended_at - at)) as seconds
     from moments where ended_at is not null group by phase
   ), present as (
     select a.id, a.organization_id, a.state, a.node_id, a.region, a.sku, coalesce(m.phase, a.state) as phase,
       coalesce(m.at, a.updated_at) as since
     from allocations a
     left join lateral (
       select case when t.kind = 'transition' then t.to_state else concat_ws(' ', t.name, t.detail ->> 'state') end as phase,
         t.at
       from allocation_timeline t
       where t.allocation_id = a.id and t.organization_id = a.organization_id and t.kind in ('transition', 'phase')
       order by t.id desc limit 1
     ) m on true
     where a.state in ('requested', 'provisioning', 'releasing') and a.placement_status <> 'queued'
       and mine(a.organization_id)
   )
   select p.id as allocation_id, p.organization_id, p.state, p.phase, p.since, p.node_id, p.region, p.sku,
     extract(epoch from $1::timestamptz - p.since)::int as seconds,
     ceil(u.seconds)::int as usual_seconds,
     greatest(ceil(coalesce(u.seconds, 0))::int, $3::int) as limit_seconds
   from present p left join usual u on u.phase = p.phase
   where extract(epoch from $1::timestamptz - p.since) > greatest(coalesce(u.seconds, 0), $3::int)
   order by p.since, p.id limit $4`,
);
/**
 * Releases whose machine was asked to shut down, or is destroyed, for longer than its time and a while more. A phase that was not
 * reported is taken for the first one: it began when the node was given the task.
 */
export const waitingForGuestSql = sql(
  'releases-waiting-for-guest',
  `select count(*)::int as waiting
   from node_tasks k left join lateral (
     select t.name, t.at from allocation_timeline t
     where t.allocation_id = k.allocation_id and mine(t.organization_id) and t.kind = 'phase'
       and t.detail ->> 'task_id' = k.id::text
     order by t.id limit 1
   ) asked on true
   where k.state = 'dispatched' and k.task_type = 'slice.vm_release' and mine(k.organization_id)
     and not exists (
       select from allocation_timeline t
       where t.allocation_id = k.allocation_id and mine(t.organization_id) and t.kind = 'phase'
         and t.detail ->> 'task_id' = k.id::text and t.name not in ('shutdown', 'destroy'))
     and coalesce(asked.at, k.dispatched_at)
       + make_interval(secs => (k.envelope -> 'params' ->> 'grace_seconds')::int + $2::int) < $1`,
);
export const healthSql = sql(
  'fleet-health',
  `select
     (select coalesce(jsonb_object_agg(c.state, c.many), '{}') from (
       select state, count(*) as many from nodes where state <> 'deleted' group by state
     ) c) as nodes,
     (select coalesce(jsonb_object_agg(c.state, c.many), '{}') from (
       select s.state, count(*) as many from slots s join nodes n on n.id = s.node_id and n.state <> 'deleted'
       group by s.state
     ) c) as slots,
     (select count(*)::int from slots s join nodes n on n.id = s.node_id and n.state = 'active'
       and host_offered(n.schedulable, n.simulated)
       where s.state = 'available' and s.health_state = 'healthy') as sellable_slots,
     (select jsonb_build_object(
        'blocks_sale', count(*) filter (where effect = 'blocks_sale'),
        'blocks_transition', count(*) filter (where effect = 'blocks_transition'),
        'informs', count(*) filter (where effect = 'informs')) from alerts) as alerts,
     (select count(*)::int from nodes where state = 'active' and schedulable) as schedulable_nodes,
     (select count(*)::int from nodes where state = 'offline') as lost_nodes,
     (select min(r.reported_at) from nodes n join node_reports r on r.node_id = n.id where n.state = 'active')
       as oldest_report_at,
     (select count(*)::int from nodes n where n.state = 'active'
       and not exists (select from node_reports r where r.node_id = n.id)) as silent_nodes,
     (select count(*)::int from node_tasks
       where state in ('queued', 'dispatched') and (organization_id is null or mine(organization_id))) as open_tasks,
     (select count(*)::int from allocations where placement_status = 'queued' and mine(organization_id))
       as queued_allocations`,
);

import { sql } from '../../../kernel/act.ts';

/**
 * What was charged for idle time, by allocation and day: the charge of the day, times the share of its charged time in which all
 * GPUs were reported as idle. Time without a report is never called idle.
 */
export const idleSql = sql(
  'usage-idle',
  `with days as (
     select d.resource_id, d.amount_minor, d.quantity_ms / case m.unit when 'gpu_hour' then m.gpus else 1 end as charged_ms,
       coalesce(i.idle_ms, 0) as idle_ms, coalesce(i.observed_ms, 0) as observed_ms
     from usage_days d join usage_meters m on m.resource_id = d.resource_id and m.meter = d.meter and mine(m.organization_id)
       left join usage_idle_days i on i.resource_id = d.resource_id and i.day = d.day and mine(i.organization_id)
     where d.organization_id = $1 and d.meter = 'gpu_time' and d.day between $2::date and $3::date and mine(d.organization_id)
   ), grouped as (
     select d.resource_id, sum(round(d.amount_minor * least(1, d.idle_ms::numeric / nullif(d.charged_ms, 0))))::bigint
         as amount_minor, sum(least(d.idle_ms, d.charged_ms))::bigint as idle_ms,
       sum(least(d.observed_ms, d.charged_ms))::bigint as observed_ms, sum(d.charged_ms)::bigint as charged_ms
     from days d group by d.resource_id
   )
   select g.resource_id as allocation_id, a.name, coalesce(g.amount_minor, 0) as amount_minor, g.idle_ms, g.observed_ms,
     sum(g.amount_minor) over ()::bigint as total_minor, sum(g.observed_ms) over ()::bigint as observed_total,
     sum(g.charged_ms) over ()::bigint as charged_total
   from grouped g left join allocations a on a.id = g.resource_id and mine(a.organization_id)
   order by 3 desc, 1 limit $4`,
);

import { type ReadTx, sql } from '../../../kernel/act.ts';
import type { Meter } from '../meters.ts';

/** The one meter of a group and its quantity; where it has several, there is no sum of them but of GPU time. */
const meterOfGroup = `case when count(distinct case when d.meter like 'app:%' then 'app_units' else d.meter end) = 1 then min(case when d.meter like 'app:%' then 'app_units' else d.meter end) end as meter`;
const quantityOfDays = `coalesce(sum(d.quantity_ms) filter (where d.meter = 'gpu_time'),
         case when count(distinct case when d.meter like 'app:%' then 'app_units' else d.meter end) = 1 then sum(d.quantity_ms) end, 0)::bigint as quantity_ms`;
const quantityOfWindows = `coalesce(sum(u.quantity_ms) filter (where d.meter = 'gpu_time'),
         case when count(distinct case when d.meter like 'app:%' then 'app_units' else d.meter end) = 1 then sum(u.quantity_ms) end, 0)::bigint as quantity_ms`;
const group = `case $6 when 'project' then d.project_id::text when 'user' then d.requested_by when 'sku' then d.sku
         when 'meter' then case when d.meter like 'app:%' then 'app_units' else d.meter end
         when 'allocation' then case when d.meter = 'gpu_time' then d.resource_id::text else '' end
         when 'app' then case when d.meter like 'app:%' then d.sku else coalesce((select i.app_reference from app_instances i where i.allocation_id = d.resource_id
           and i.organization_id = d.organization_id and i.owns_allocation and mine(i.organization_id) order by i.id limit 1), '') end
         else '' end as key`;
const wanted = `       and d.day between greatest($2::date, (to_timestamp($10::bigint) at time zone 'UTC')::date) and $3::date
       and ($4::uuid is null or d.project_id = $4) and ($7::text is null or d.sku = $7)
       and ($8::text is null or d.requested_by = $8) and ($9::uuid is null or d.resource_id = $9) and ($13::text is null or case when d.meter like 'app:%' then 'app_units' else d.meter end = $13)
     group by 1, 2
`;
/** The groups behind the one that the last page ended with, with the names of what they stand for. */
const named = `   ), shown as (
     select extract(epoch from g.at)::bigint as at, g.key, g.amount_minor, g.quantity_ms, g.meter from grouped g
     where $10::bigint is null or (extract(epoch from g.at)::bigint, g.key collate "C") > ($10, $11)
     order by 1, g.key collate "C" limit $12
   )
   select s.*, coalesce(p.name, k.display_name, a.name, n.display_name) as name from shown s
     left join projects p on p.id = (case when $6 = 'project' then s.key end)::uuid and mine(p.organization_id)
     left join allocations a on a.id = nullif(case when $6 = 'allocation' then s.key end, '')::uuid and mine(a.organization_id)
     left join skus k on k.slug = case when $6 = 'sku' then s.key end
     left join tenant_memberships m on $6 = 'user' and m.organization_id = $1 and m.user_id::text = s.key
       and mine(m.organization_id)
     left join user_names n on n.user_id = m.user_id
   order by s.at, s.key collate "C"`;
/**
 * Sums of days, and of the months that they make. `usage_days` is kept by the accrual with each window and compared with the
 * windows by `verify`, so a sum never reads more rows than the period has lines. A page begins behind a day and a group.
 */
const daysSql = sql(
  'usage-series-days',
  `with grouped as (
     select case $5 when 'month' then date_trunc('month', d.day::timestamp) else d.day::timestamp end as at,
       ${group},
       sum(d.amount_minor)::bigint as amount_minor, ${meterOfGroup}, ${quantityOfDays}
     from usage_days d
     where d.organization_id = $1 and mine(d.organization_id)
${wanted}${named}`,
);
/** Hours are added up from windows; the days say which windows there are. A window counts in the hour in which it begins. */
const hoursSql = sql(
  'usage-series-hours',
  `with grouped as (
     select date_trunc('hour', u.from_at, 'UTC') as at,
       ${group},
       sum(u.amount_minor)::bigint as amount_minor, ${meterOfGroup}, ${quantityOfWindows}
     from usage_days d join usage_windows u on u.resource_id = d.resource_id and u.meter = d.meter
       and u.from_at >= d.day::timestamp at time zone 'UTC' and u.from_at < (d.day + 1)::timestamp at time zone 'UTC'
       and mine(u.organization_id)
     where d.organization_id = $1 and mine(d.organization_id) and $5 = 'hour'
${wanted}${named}`,
);

export interface Filters {
  readonly organizationId: string;
  readonly from: string;
  readonly to: string;
  readonly projectId?: string | undefined;
  readonly sku?: string | undefined;
  readonly requestedBy?: string | undefined;
  readonly allocationId?: string | undefined;
  readonly meter?: Meter | undefined;
}
export interface PointRow {
  /** Seconds since 1970. */
  readonly at: bigint;
  readonly key: string;
  readonly name: string | null;
  readonly amount_minor: bigint;
  readonly meter: Meter | null;
  readonly quantity_ms: bigint;
}

export const listPoints = (
  tx: ReadTx,
  of: Filters,
  by: { readonly interval: 'hour' | 'day' | 'month'; readonly group: string },
  after: { readonly at: string; readonly key: string } | undefined,
  limit: number,
) =>
  tx.rows<PointRow>(by.interval === 'hour' ? hoursSql : daysSql, [
    ...[of.organizationId, of.from, of.to, of.projectId ?? null, by.interval, by.group],
    ...[of.sku ?? null, of.requestedBy ?? null, of.allocationId ?? null],
    ...[after?.at ?? null, after?.key ?? null, limit, of.meter ?? null],
  ]);

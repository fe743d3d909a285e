import { type ReadTx, sql } from '../../../kernel/act.ts';
import type { Filters, PointRow } from './series-store.ts';

/** Those of apps name a unit and a version, and are one kind for people. */
const meterOfDay = `case when d.meter like 'app:%' then 'app_units' else d.meter end`;
/** One row for each group, with the sum of all groups beside it: the limit cuts rows, never the total. */
const sums = `sum(d.amount_minor)::bigint as amount_minor, case when count(distinct case when d.meter like 'app:%' then 'app_units' else d.meter end) = 1 then min(case when d.meter like 'app:%' then 'app_units' else d.meter end) end as meter, coalesce(sum(d.quantity_ms) filter (where d.meter = 'gpu_time'),
         case when count(distinct case when d.meter like 'app:%' then 'app_units' else d.meter end) = 1 then sum(d.quantity_ms) end, 0)::bigint as quantity_ms,
     (sum(sum(d.amount_minor)) over ())::bigint as total_minor`;
const wanted = `d.organization_id = $1 and d.day between $2::date and $3::date
     and ($4::uuid is null or d.project_id = $4) and ($5::text is null or d.sku = $5)
     and ($6::text is null or d.requested_by = $6) and ($7::uuid is null or d.resource_id = $7)
     and ($9::text is null or case when d.meter like 'app:%' then 'app_units' else d.meter end = $9)`;

const byNothingSql = sql(
  'usage-in-one',
  `select '' as key, null::text as name, ${sums}, null::boolean as simulated from usage_days d where mine(d.organization_id) and ${wanted} having count(*) > 0 limit $8`,
);
const byDaySql = sql(
  'usage-by-day',
  `select d.day::text as key, null::text as name, ${sums}, null::boolean as simulated from usage_days d where mine(d.organization_id) and ${wanted}
   group by d.day order by d.day limit $8`,
);
const bySkuSql = sql(
  'usage-by-sku',
  `select d.sku as key, k.display_name as name, ${sums}, null::boolean as simulated from usage_days d left join skus k on k.slug = d.sku
   where mine(d.organization_id) and ${wanted} group by d.sku, k.display_name order by 3 desc, 1 limit $8`,
);
const byProjectSql = sql(
  'usage-by-project',
  `select d.project_id::text as key, p.name, ${sums}, null::boolean as simulated
   from usage_days d left join projects p on p.id = d.project_id and mine(p.organization_id)
   where mine(d.organization_id) and ${wanted} group by d.project_id, p.name order by 3 desc, 1 limit $8`,
);
const byUserSql = sql(
  'usage-by-user',
  `select d.requested_by as key, n.display_name as name, ${sums}, null::boolean as simulated
   from usage_days d left join tenant_memberships m on m.organization_id = $1 and m.user_id::text = d.requested_by
       and mine(m.organization_id)
     left join user_names n on n.user_id = m.user_id
   where mine(d.organization_id) and ${wanted} group by d.requested_by, n.display_name order by 3 desc, 1 limit $8`,
);
const byMeterSql = sql(
  'usage-by-meter',
  `select ${meterOfDay} as key, null::text as name, ${sums}, null::boolean as simulated from usage_days d
   where mine(d.organization_id) and ${wanted} group by 1 order by 3 desc, 1 limit $8`,
);
/** What belongs to no allocation is one group without a key. */
const byAllocationSql = sql(
  'usage-by-allocation',
  `select coalesce(a.id::text, case when d.meter = 'gpu_time' then d.resource_id::text else '' end) as key, a.name, ${sums},
     case when d.meter = 'gpu_time' then coalesce(n.simulated, false) end as simulated
   from usage_days d left join allocations a on a.id = d.resource_id and mine(a.organization_id)
     left join nodes n on n.id = a.node_id
   where mine(d.organization_id) and ${wanted} group by 1, a.name, 7 order by 3 desc, 1 limit $8`,
);
const totalsSql = {
  none: byNothingSql,
  day: byDaySql,
  sku: bySkuSql,
  meter: byMeterSql,
  project: byProjectSql,
  user: byUserSql,
  allocation: byAllocationSql,
};

export interface TotalRow {
  readonly key: string;
  readonly name: string | null;
  readonly amount_minor: bigint;
  readonly meter: PointRow['meter'];
  readonly quantity_ms: bigint;
  /** Of one allocation; null for other groups. */
  readonly simulated: boolean | null;
  /** Of all groups, also of those behind the limit. */
  readonly total_minor: bigint;
}
export const readTotals = (tx: ReadTx, by: keyof typeof totalsSql, of: Filters, limit: number) =>
  tx.rows<TotalRow>(totalsSql[by], [
    ...[of.organizationId, of.from, of.to, of.projectId ?? null],
    ...[of.sku ?? null, of.requestedBy ?? null, of.allocationId ?? null, limit, of.meter ?? null],
  ]);

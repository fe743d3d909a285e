import { type ReadTx, sql } from '../../../kernel/act.ts';
import type { Filters } from '../usage/series-store.ts';

/** Those of apps name a unit and a version, and are one kind for people. */
const meterOfDay = `case when d.meter like 'app:%' then 'app_units' else d.meter end`;
/** Lines of usage with everything that a file about them says, oldest first. */
const linesSql = sql(
  'export-lines',
  `select d.id, d.day::text as day, d.project_id, p.name as project, d.requested_by, n.display_name as person, d.sku,
     k.display_name as sku_name, ${meterOfDay} as meter, nullif(substring(d.meter from '^app:(.*)$'), '') as app_meter,
     case when d.meter like 'app:%' then d.resource_id end as app_instance_id, case when d.meter = 'gpu_time' then d.resource_id end as allocation_id, a.name as allocation, a.region, a.tags, m.unit, m.gpus,
     m.rate_micro, m.price_id, d.currency, d.amount_minor, d.quantity_ms, d.windows
   from (select d.* from usage_days d
       where d.organization_id = $1 and mine(d.organization_id) and d.day between $2::date and $3::date
         and ($4::uuid is null or d.project_id = $4) and ($5::text is null or d.sku = $5)
         and ($6::text is null or d.requested_by = $6) and ($7::uuid is null or d.resource_id = $7) and ($11::text is null or ${meterOfDay} = $11)
         and ($8::date is null or (d.day, d.id) > ($8::date, $9::uuid))
       order by d.day, d.id limit $10) d
     left join usage_meters m on m.resource_id = d.resource_id and m.meter = d.meter and mine(m.organization_id)
     left join allocations a on a.id = d.resource_id and mine(a.organization_id)
     left join projects p on p.id = d.project_id and mine(p.organization_id)
     left join skus k on k.slug = d.sku
     left join tenant_memberships t on t.organization_id = $1 and t.user_id::text = d.requested_by and mine(t.organization_id)
     left join user_names n on n.user_id = t.user_id
   order by d.day, d.id`,
);

export interface ExportLine {
  readonly id: string;
  readonly day: string;
  readonly project_id: string;
  readonly project: string | null;
  readonly requested_by: string;
  readonly person: string | null;
  readonly sku: string;
  readonly sku_name: string | null;
  readonly meter: NonNullable<Filters['meter']>;
  readonly app_meter: string | null;
  readonly app_instance_id: string | null;
  readonly allocation_id: string | null;
  readonly allocation: string | null;
  readonly region: string | null;
  readonly tags: Readonly<Record<string, string>> | null;
  readonly unit: string | null;
  readonly gpus: number | null;
  readonly rate_micro: bigint | null;
  readonly price_id: string | null;
  readonly currency: string;
  readonly amount_minor: bigint;
  readonly quantity_ms: bigint;
  readonly windows: number;
}

export const listExportLines = (
  tx: ReadTx,
  of: Filters,
  after: { readonly day: string; readonly id: string } | undefined,
  limit: number,
) =>
  tx.rows<ExportLine>(linesSql, [
    ...[of.organizationId, of.from, of.to, of.projectId ?? null, of.sku ?? null, of.requestedBy ?? null],
    ...[of.allocationId ?? null, after?.day ?? null, after?.id ?? null, limit, of.meter ?? null],
  ]);

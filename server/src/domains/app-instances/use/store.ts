import type { Money } from '@gpuaas/contract';
import type { AppUseCounts } from '@gpuaas/contract/ingress';
import { type ReadTx, sql, type WriteTx } from '../../../kernel/act.ts';

/**
 * Sums of a copy only grow: of two reports that cross, the later one stays. Routes that are not there are left out. A copy counts by
 * route and hour; in the hour of a move to another version, what was there before it stays with the version of before.
 */
const put = sql(
  'app-use-put',
  `insert into app_use as u (id, organization_id, project_id, app_instance_id, route_id, app_version_id, app_reference, app_version,
     endpoint_name, operating_mode, copy_id, hour, requests, failures, bytes_in, bytes_out, units, last_at, correlation_id, prices)
   select id_at(act_time()), r.organization_id, r.project_id, r.app_instance_id, r.id, i.app_version_id, i.app_reference, i.app_version,
     r.endpoint_name, coalesce(v.manifest ->> 'operating_mode', 'tenant_dedicated'), $1, s.hour, greatest(s.requests - b.requests, 0),
     greatest(s.failures - b.failures, 0), greatest(s.bytes_in - b.bytes_in, 0), greatest(s.bytes_out - b.bytes_out, 0),
     (select coalesce(jsonb_object_agg(e.key, e.value::bigint - c.count), '{}'::jsonb) from jsonb_each_text(s.units) e
       cross join lateral (select coalesce(sum((o.units ->> e.key)::bigint), 0) as count from app_use o where o.route_id = r.id
         and o.hour = s.hour and o.copy_id = $1 and o.app_version_id <> i.app_version_id and mine(o.organization_id)) c
       where e.value::bigint >= c.count), s.last_at, $3, coalesce((select jsonb_object_agg(m ->> 'name', m -> 'price') from jsonb_array_elements(v.manifest -> 'metering') as m
       where m ? 'price'), '{}'::jsonb)
   from jsonb_to_recordset($2::jsonb) as s (route_id uuid, instance_id uuid, hour timestamptz, last_at timestamptz, requests bigint,
       failures bigint, bytes_in bigint, bytes_out bigint, units jsonb)
     join app_routes r on r.id = s.route_id and r.app_instance_id = s.instance_id and mine(r.organization_id)
     join app_instances i on i.id = r.app_instance_id and mine(i.organization_id)
     join app_versions v on v.id = i.app_version_id and mine(v.organization_id)
     cross join lateral (select count(*) as rows, coalesce(sum(o.requests), 0)::bigint as requests,
         coalesce(sum(o.failures), 0)::bigint as failures, coalesce(sum(o.bytes_in), 0)::bigint as bytes_in,
         coalesce(sum(o.bytes_out), 0)::bigint as bytes_out from app_use o where o.route_id = r.id and o.hour = s.hour
         and o.copy_id = $1 and o.app_version_id <> i.app_version_id and mine(o.organization_id)) b
   where (b.rows = 0 or (s.requests, s.bytes_in + s.bytes_out) > (b.requests, b.bytes_in + b.bytes_out)) and s.hour = date_trunc('hour', s.hour, 'UTC') and s.hour <= act_time() + interval '1 hour'
   on conflict on constraint app_use_once do update set requests = excluded.requests, failures = excluded.failures,
     bytes_in = excluded.bytes_in, bytes_out = excluded.bytes_out, units = excluded.units, counted = false, last_at = excluded.last_at,
     correlation_id = excluded.correlation_id
   where (excluded.requests, excluded.bytes_in + excluded.bytes_out) >= (u.requests, u.bytes_in + u.bytes_out)
   returning u.id`,
);
// Apps choose these numbers: many of the largest ones are more than a bigint holds. This is the largest one that is exact in JSON.
const unitSum = 'least(sum(e.value::bigint), 9007199254740991)::bigint';
const summed = `sum(u.requests)::bigint as requests, sum(u.failures)::bigint as failures, sum(u.bytes_in)::bigint as bytes_in,
     sum(u.bytes_out)::bigint as bytes_out, max(u.last_at) as last_at`;
/** What counted units cost by the prices of their versions. The ledger rounds sums, so one hour may differ from it by less than a minor unit. */
const priceOfUnits = `json_build_object('amount_minor', least(round(sum(e.value::numeric * (m.price ->> 'amount_minor')::numeric
         / (m.price ->> 'per')::numeric)), 9007199254740991)::bigint::text, 'currency', min(m.price ->> 'currency'))
       from app_use o cross join lateral jsonb_each_text(o.units) as e cross join lateral (select o.prices -> e.key as price) m
       where m.price is not null and mine(o.organization_id)`;
const hours = sql(
  'app-use-hours',
  `select g.*, coalesce((select jsonb_object_agg(s.name, s.count) from (
       select e.key as name, ${unitSum} as count from app_use o, jsonb_each_text(o.units) as e
       where o.app_instance_id = $1 and o.hour = g.hour and o.endpoint_name = g.endpoint_name and mine(o.organization_id) group by e.key) s), '{}'::jsonb) as units,
     (select ${priceOfUnits} and o.app_instance_id = $1 and o.hour = g.hour and o.endpoint_name = g.endpoint_name having count(*) > 0) as cost
   from (
     select u.hour, u.endpoint_name, min(u.app_version) as app_version, min(u.operating_mode) as operating_mode,
       (array_agg(u.correlation_id order by u.last_at desc))[1] as correlation_id, ${summed}
     from app_use u where u.app_instance_id = $1 and mine(u.organization_id)
       and ($2::timestamptz is null or (u.hour, u.endpoint_name) < ($2, $3))
     group by u.hour, u.endpoint_name order by u.hour desc, u.endpoint_name desc limit $4
   ) g order by g.hour desc, g.endpoint_name desc`,
);
/**
 * A bounded number of instances that have use which was not charged yet, and whose last window is over. Their rows are marked before
 * billing reads them: a report that comes later clears the mark of its row, so the next round charges the rest.
 */
const mark = sql(
  'app-use-mark',
  `with chosen as materialized (
     select distinct u.app_instance_id as id from app_use u
     where not u.counted and mine(u.organization_id) and not exists (select from usage_meters m
       where m.resource_id = u.app_instance_id and m.accrued_to >= $1::timestamptz and mine(m.organization_id))
     limit $2
   ), marked as (
     update app_use u set counted = true from chosen c
     where u.app_instance_id = c.id and not u.counted and mine(u.organization_id)
     returning u.app_instance_id
   )
   select distinct m.app_instance_id::text as id from marked m`,
);
const payerCurrency = sql(
  'app-payer-currency',
  'select o.currency from organizations o where o.id = $1 and mine(o.id)',
);
const apps = sql(
  'app-use-by-app',
  `select g.*, coalesce((select jsonb_object_agg(s.name, s.count) from (
       select e.key as name, ${unitSum} as count from app_use o, jsonb_each_text(o.units) as e
       where o.project_id = $1 and o.hour >= $2 and o.app_reference = g.app_reference and mine(o.organization_id) group by e.key) s), '{}'::jsonb) as units,
     (select ${priceOfUnits} and o.project_id = $1 and o.hour >= $2 and o.app_reference = g.app_reference having count(*) > 0) as cost
   from (
     select u.app_reference, count(distinct u.app_instance_id)::int as instances, ${summed}
     from app_use u where u.project_id = $1 and u.hour >= $2 and mine(u.organization_id)
       and ($3::text is null or u.app_reference > $3)
     group by u.app_reference order by u.app_reference limit $4
   ) g order by g.app_reference`,
);

interface Sums {
  readonly requests: bigint;
  readonly failures: bigint;
  readonly bytes_in: bigint;
  readonly bytes_out: bigint;
  readonly units: Readonly<Record<string, number>>;
  readonly last_at: Date;
  readonly cost: Money | null;
}
export interface UseHourRow extends Sums {
  readonly hour: Date;
  readonly endpoint_name: string;
  readonly app_version: string;
  readonly operating_mode: string;
  readonly correlation_id: string;
}
export interface AppUseRow extends Sums {
  readonly app_reference: string;
  readonly instances: number;
}
/** The instances to charge, with their rows marked as charged. Billing calls it in the transaction that charges. */
export const markUses = async (tx: WriteTx, to: Date, most: number): Promise<string[]> =>
  (await tx.rows<{ id: string }>(mark, [to, most])).map(({ id }) => id);
export const findPayerCurrency = async (tx: ReadTx, organizationId: string): Promise<string | undefined> =>
  (await tx.rows<{ currency: string }>(payerCurrency, [organizationId]))[0]?.currency;
export const putUses = async (
  tx: WriteTx,
  copyId: string,
  uses: readonly AppUseCounts[],
  correlationId: string,
): Promise<number> => (await tx.rows(put, [copyId, JSON.stringify(uses), correlationId])).length;
export const listUseHours = (
  tx: ReadTx,
  instanceId: string,
  before: { readonly hour: string; readonly endpoint: string } | undefined,
  limit: number,
) => tx.rows<UseHourRow>(hours, [instanceId, before?.hour ?? null, before?.endpoint ?? null, limit]);
export const listAppUse = (tx: ReadTx, projectId: string, since: Date, after: string | undefined, limit: number) =>
  tx.rows<AppUseRow>(apps, [projectId, since, after ?? null, limit]);

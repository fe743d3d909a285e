import { type ReadTx, sql, type WriteTx } from '../../../kernel/act.ts';
import { mostMeterMinor, mostMeterUnits } from '../facts.ts';

const aloneSql = sql('app-units-alone', `select pg_advisory_xact_lock(hashtextextended('usage app units', 0))`);
/**
 * Charges what instances have counted and not paid for. A meter is one unit of one instance with one version, so its price is one, and
 * its exact price is the price times everything that it has ever counted: however late a report comes, what is charged adds up to
 * the rounded price of the whole. A window is the time in which the charge was made. Its `quantity_ms` is a count of units, its `sku` the
 * app and its `price_id` the version.
 *
 * Counts are what an app says, and many apps are charged in one statement, so a meter ends at `$7` units or at what costs `$8` minor
 * units: a number that the ledger cannot hold would stop the charges of all.
 */
const chargeSql = sql(
  'app-units-charge',
  `with counts as materialized (
     select u.organization_id, u.project_id, u.app_instance_id, u.app_version_id, e.key as name, min(u.app_reference) as app_reference,
       min(u.app_version) as app_version, min(u.endpoint_name) as endpoint_name, min(u.operating_mode) as operating_mode,
       (array_agg(u.correlation_id order by u.last_at desc))[1] as correlation_id, (array_agg(u.prices -> e.key))[1] as price, sum(e.value::bigint) as count
     from app_use u cross join lateral jsonb_each_text(u.units) as e
     where u.app_instance_id = any ($1::uuid[]) and mine(u.organization_id)
     group by u.organization_id, u.project_id, u.app_instance_id, u.app_version_id, e.key
   ), priced as materialized (
     select c.organization_id, c.project_id, c.app_instance_id, c.app_version_id, c.app_reference, c.endpoint_name, c.operating_mode,
       c.correlation_id, 'app:' || c.name || '@' || c.app_version as meter, a.currency, i.requested_by,
       least(c.count, $7::numeric, div($8::numeric * (c.price ->> 'per')::numeric, (c.price ->> 'amount_minor')::numeric))::bigint as count,
       case c.price ->> 'per' when '1' then 'unit' when '1000' then 'thousand_units' else 'million_units' end as unit,
       (c.price ->> 'amount_minor')::bigint * 1000000 as rate_micro
     from counts c join app_instances i on i.id = c.app_instance_id and mine(i.organization_id)
       join billing_accounts a on a.organization_id = c.organization_id and mine(a.organization_id)
     where c.price ->> 'currency' = a.currency and (c.price ->> 'amount_minor')::bigint > 0
   ), charged as materialized (
     select p.*, id_at($5::timestamptz) as id, p.count - s.count as quantity, p.rate_micro::numeric * p.count as exact_now,
       div(p.rate_micro::numeric * p.count * 2 + usage_scale(p.unit), 2 * usage_scale(p.unit))::bigint as charged, s.charged_minor,
       greatest(s.accrued_to, $2::timestamptz - make_interval(secs => $6::int)) as from_at, $2::timestamptz as to_at
     from priced p left join usage_meters m on m.resource_id = p.app_instance_id and m.meter = p.meter and mine(m.organization_id)
       cross join lateral (select coalesce(div(m.exact, p.rate_micro), 0)::bigint as count, coalesce(m.charged_minor, 0) as charged_minor,
         m.accrued_to) s
     where p.count > s.count and coalesce(m.accrued_to < $2::timestamptz, true)
   ), noted as materialized (
     select c.*, c.charged - c.charged_minor as amount, sha256(convert_to(app_use_reading_text(c.app_instance_id, c.meter, c.to_at,
       c.organization_id, c.app_version_id, c.endpoint_name, c.operating_mode, c.correlation_id, c.count), 'UTF8')) as evidence
     from charged c
   ), readings as (
     insert into app_use_readings (app_instance_id, meter, at, organization_id, app_version_id, endpoint_name, operating_mode,
       correlation_id, count, digest)
     select c.app_instance_id, c.meter, c.to_at, c.organization_id, c.app_version_id, c.endpoint_name, c.operating_mode,
       c.correlation_id, c.count, c.evidence from noted c
   ), kept as (
     insert into usage_windows (id, organization_id, project_id, resource_id, meter, sku, price_id, requested_by, currency,
       unit, from_at, to_at, quantity_ms, rate_micro, exact, charged_minor, amount_minor, evidence)
     select c.id, c.organization_id, c.project_id, c.app_instance_id, c.meter, c.app_reference, c.app_version_id, c.requested_by,
       c.currency, c.unit, c.from_at, c.to_at, c.quantity, c.rate_micro, c.exact_now, c.charged, c.amount, c.evidence
     from noted c
   ), entered as (
     insert into ledger_entries (id, organization_id, currency, kind, at, accounts, amounts, project_id, actor_id,
       correlation_id, document)
     select c.id, c.organization_id, c.currency, 'usage', $5::timestamptz, '{customer,revenue}', array[-c.amount, c.amount],
       c.project_id, $3, $4, sha256(convert_to(usage_text(c.id, c.organization_id, c.project_id, c.app_instance_id, c.meter,
         c.app_reference, c.app_version_id, c.requested_by, c.currency, c.unit, c.from_at, c.to_at, c.quantity, c.rate_micro,
         c.exact_now, c.charged, c.amount, c.evidence), 'UTF8'))
     from noted c where c.amount > 0
   ), days as (
     insert into usage_days as d (id, organization_id, day, resource_id, meter, project_id, sku, currency, requested_by,
       quantity_ms, amount_minor, windows)
     select id_at($5::timestamptz), c.organization_id, (c.from_at at time zone 'UTC')::date, c.app_instance_id, c.meter,
       c.project_id, c.app_reference, c.currency, c.requested_by, c.quantity, c.amount, 1
     from noted c
     on conflict (resource_id, meter, day) do update set quantity_ms = d.quantity_ms + excluded.quantity_ms,
       amount_minor = d.amount_minor + excluded.amount_minor, windows = d.windows + excluded.windows
   ), moved as (
     insert into usage_meters as m (resource_id, meter, organization_id, project_id, requested_by, sku, price_id, currency, rate_micro,
       unit, gpus, evidence_to, accrued_to, exact, charged_minor)
     select c.app_instance_id, c.meter, c.organization_id, c.project_id, c.requested_by, c.app_reference, c.app_version_id, c.currency,
       c.rate_micro, c.unit, 1, c.to_at, c.to_at, c.exact_now, c.charged
     from noted c
     on conflict (resource_id, meter) do update set evidence_to = excluded.evidence_to, accrued_to = excluded.accrued_to,
       exact = excluded.exact, charged_minor = excluded.charged_minor
   )
   select count(*)::int as windows, count(distinct organization_id) filter (where amount > 0)::int as organizations from noted`,
);
/** How long ago the oldest use was that nobody has looked at. */
const lagSql = sql(
  'app-units-lag',
  `select coalesce(max(extract(epoch from statement_timestamp() - u.last_at)), 0)::float8 as seconds from app_use u
   where not u.counted and mine(u.organization_id)`,
);
export interface UnitsCharged {
  readonly windows: number;
  readonly organizations: number;
}
/** Workers charge apps one after the other: what one has counted, the next one sees. */
export const chargeAlone = (tx: WriteTx) => tx.rows(aloneSql);
export async function chargeUnits(
  tx: WriteTx,
  of: { readonly instanceIds: readonly string[]; readonly to: Date; readonly windowSeconds: number },
  by: { readonly actorId: string; readonly correlationId: string },
  now: Date,
): Promise<UnitsCharged> {
  const [done] = await tx.rows<UnitsCharged>(chargeSql, [
    ...[of.instanceIds, of.to, by.actorId, by.correlationId, now, of.windowSeconds, mostMeterUnits, mostMeterMinor],
  ]);
  return done as UnitsCharged;
}
export const readUnitsLag = async (tx: ReadTx): Promise<number> =>
  (await tx.rows<{ seconds: number }>(lagSql))[0]?.seconds ?? 0;

import { type ReadTx, sql, type WriteTx } from '../../../kernel/act.ts';

/**
 * Holds the buckets of projects with something to charge up to `$1`. A bucket is the row with the sizes of a project, and readings are taken
 * under its lock: what a held project stores cannot change until the transaction ends.
 */
const holdSql = sql('storage-charge-hold', 'select storage_buckets_hold($1::timestamptz, $2::int)::text as project_id');
/**
 * Charges what the given projects stored up to `$3`: windows, entries, the sums by day, and how far each meter has come, in one
 * statement. Windows lie on a grid of `$1` seconds and are cut where a price begins. Readings carry the sum of bytes times
 * microseconds so far; the quantity of a window is the difference of two such sums, each in whole GiB-milliseconds, so any number of
 * windows adds up to what was stored. Time in which nothing was stored has no windows.
 */
const chargeSql = sql(
  'storage-charge',
  `with due as materialized (
     select b.project_id, b.organization_id, a.currency, coalesce(m.exact, 0) as exact, coalesce(m.charged_minor, 0) as charged_minor,
       s.since, least($3::timestamptz,
         to_timestamp((floor(extract(epoch from s.since) / $1::int)::bigint + $6::int) * $1::int)) as upto
     from storage_buckets b join billing_accounts a on a.organization_id = b.organization_id and mine(a.organization_id)
       left join usage_meters m on m.resource_id = b.project_id and m.meter = 'storage' and mine(m.organization_id)
       cross join lateral (select coalesce(m.accrued_to, min(r.at)) as at from storage_readings r
         where r.project_id = b.project_id and mine(r.organization_id)) c
       cross join lateral (select coalesce((select case when r.stored_bytes > 0 then c.at end from storage_readings r
           where r.project_id = b.project_id and r.at <= c.at and mine(r.organization_id) order by r.at desc limit 1),
         least($3, (select min(r.at) from storage_readings r where r.project_id = b.project_id and r.at > c.at
           and r.stored_bytes > 0 and mine(r.organization_id))), $3) as since) s
     where b.project_id = any ($2::uuid[]) and mine(b.organization_id)
   ), cuts as (
     select d.*, t.at as from_at, lead(t.at, 1, d.upto) over (partition by d.project_id order by t.at) as to_at
     from due d cross join lateral (
       select d.since as at
       union select g.at from generate_series(to_timestamp((floor(extract(epoch from d.since) / $1::int)::bigint + 1) * $1::int),
         d.upto - interval '1 microsecond', make_interval(secs => $1::int)) as g (at)
       union select p.effective_from from storage_prices p
         where p.currency = d.currency and p.effective_from > d.since and p.effective_from < d.upto) t
     where d.since < d.upto
   ), measured as (
     select c.*, div(e.byte_us, 1073741824000) - div(b.byte_us, 1073741824000) as quantity, v.evidence,
       p.id as price_id, coalesce(p.rate_micro, 0) as rate_micro
     from cuts c cross join lateral (
       select r.at, r.byte_us + r.stored_bytes::numeric * (extract(epoch from c.from_at - r.at) * 1000000)::bigint as byte_us
       from storage_readings r where r.project_id = c.project_id and r.at <= c.from_at and mine(r.organization_id)
       order by r.at desc limit 1
     ) b cross join lateral (
       select r.byte_us + r.stored_bytes::numeric * (extract(epoch from c.to_at - r.at) * 1000000)::bigint as byte_us
       from storage_readings r where r.project_id = c.project_id and r.at <= c.to_at and mine(r.organization_id)
       order by r.at desc limit 1
     ) e cross join lateral (
       select sha256(string_agg(r.digest, ''::bytea order by r.at)) as evidence from storage_readings r
       where r.project_id = c.project_id and r.at >= b.at and r.at < c.to_at and mine(r.organization_id)
     ) v left join lateral (
       select q.id, q.rate_micro from storage_prices q where q.currency = c.currency and q.effective_from <= c.from_at
       order by q.effective_from desc limit 1
     ) p on true
   ), priced as (
     select m.*, m.quantity::bigint as quantity_ms,
       m.exact + sum(m.rate_micro::numeric * m.quantity) over (partition by m.project_id order by m.from_at) as exact_now
     from measured m where m.quantity > 0
   ), charged as materialized (
     select r.*, id_at($7::timestamptz) as id, r.charged - lag(r.charged, 1, r.charged_minor) over s as amount,
       lead(true) over s is null as is_last
     from (select p.*, div(p.exact_now * 2 + 3600000000000, 7200000000000)::bigint as charged from priced p) r
     window s as (partition by r.project_id order by r.from_at)
   ), kept as (
     insert into usage_windows (id, organization_id, project_id, resource_id, meter, sku, price_id, requested_by, currency,
       unit, from_at, to_at, quantity_ms, rate_micro, exact, charged_minor, amount_minor, evidence)
     select c.id, c.organization_id, c.project_id, c.project_id, 'storage', 'storage', c.price_id, 'storage', c.currency,
       'gib_hour', c.from_at, c.to_at, c.quantity_ms, c.rate_micro, c.exact_now, c.charged, c.amount, c.evidence
     from charged c
   ), entered as (
     insert into ledger_entries (id, organization_id, currency, kind, at, accounts, amounts, project_id, actor_id,
       correlation_id, document)
     select c.id, c.organization_id, c.currency, 'usage', $7::timestamptz, '{customer,revenue}', array[-c.amount, c.amount],
       c.project_id, $4, $5, sha256(convert_to(usage_text(c.id, c.organization_id, c.project_id, c.project_id, 'storage', 'storage',
         c.price_id, 'storage', c.currency, 'gib_hour', c.from_at, c.to_at, c.quantity_ms, c.rate_micro, c.exact_now, c.charged,
         c.amount, c.evidence), 'UTF8'))
     from charged c where c.amount > 0
   ), days as (
     insert into usage_days as d (id, organization_id, day, resource_id, meter, project_id, sku, currency, requested_by,
       quantity_ms, amount_minor, windows)
     select id_at($7::timestamptz), c.organization_id, (c.from_at at time zone 'UTC')::date, c.project_id, 'storage',
       c.project_id, 'storage', c.currency, 'storage', sum(c.quantity_ms), sum(c.amount), count(*)
     from charged c group by 2, 3, 4, 5, 6, 7, 8, 9
     on conflict (resource_id, meter, day) do update set quantity_ms = d.quantity_ms + excluded.quantity_ms,
       amount_minor = d.amount_minor + excluded.amount_minor, windows = d.windows + excluded.windows
   ), moved as (
     insert into usage_meters as m (resource_id, meter, organization_id, project_id, requested_by, sku, price_id, currency, rate_micro,
       unit, gpus, evidence_to, accrued_to, exact, charged_minor)
     select d.project_id, 'storage', d.organization_id, d.project_id, 'storage', 'storage', c.price_id, d.currency,
       coalesce(c.rate_micro, 0), 'gib_hour', 1, d.upto, d.upto, coalesce(c.exact_now, d.exact), coalesce(c.charged, d.charged_minor)
     from due d left join charged c on c.project_id = d.project_id and c.is_last
     on conflict (resource_id, meter) do update set price_id = excluded.price_id, rate_micro = excluded.rate_micro,
       evidence_to = excluded.evidence_to, accrued_to = excluded.accrued_to, exact = excluded.exact,
       charged_minor = excluded.charged_minor
   )
   select (select count(*)::int from due) as meters, count(*)::int as windows,
     count(distinct organization_id) filter (where amount > 0)::int as organizations
   from charged`,
);
/** How long ago the oldest charge of a project that stores something ended. */
const lagSql = sql(
  'storage-charge-lag',
  `select coalesce(max(extract(epoch from statement_timestamp() - m.accrued_to)), 0)::float8 as seconds
   from usage_meters m join storage_buckets b on b.project_id = m.resource_id and mine(b.organization_id)
   where m.meter = 'storage' and b.stored_bytes > 0 and mine(m.organization_id)`,
);

export interface StorageCharged {
  readonly meters: number;
  readonly windows: number;
  readonly organizations: number;
}
export const holdBuckets = async (tx: WriteTx, to: Date, most: number): Promise<string[]> =>
  (await tx.rows<{ project_id: string }>(holdSql, [to, most])).map(({ project_id }) => project_id);
export async function chargeStorage(
  tx: WriteTx,
  of: {
    readonly windowSeconds: number;
    readonly projectIds: readonly string[];
    readonly to: Date;
    readonly windows: number;
  },
  by: { readonly actorId: string; readonly correlationId: string },
  now: Date,
): Promise<StorageCharged> {
  const [done] = await tx.rows<StorageCharged>(chargeSql, [
    ...[of.windowSeconds, of.projectIds, of.to, by.actorId, by.correlationId, of.windows, now],
  ]);
  return done as StorageCharged;
}
export const readStorageLag = async (tx: ReadTx): Promise<number> =>
  (await tx.rows<{ seconds: number }>(lagSql))[0]?.seconds ?? 0;

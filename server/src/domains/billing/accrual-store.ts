import { type ReadTx, sql, type WriteTx } from '../../kernel/act.ts';

/**
 * Charges what is proven and not yet charged: windows, their entries in the ledger, the sums by day, and how far each meter has
 * come, in one statement for many meters. Windows lie on a grid of `$1` seconds. A window is charged when its time is proven
 * to its end; the last one when its lease has ended, or when nothing was heard of it for `$4` milliseconds. Meters that
 * another worker is at are left to it. A release cuts what is not charged yet: evidence may have come while it was being accepted, so
 * windows are also left until they have been over for `$8` milliseconds. Time is `$7`, which the worker reads from the database in
 * the same transaction; its own clock decides nothing. The page is the `$2` meters behind `$9`; most of them may not be due yet.
 *
 * PostgreSQL cannot know how many meters are due and plans for one, so a join of two parts of this statement would compare each
 * meter with each other one. Therefore every part hands on whole rows, `charged` has a row for each meter even when it has nothing to
 * charge, and only tables with a key are joined. Records of a lease do not overlap: the last one that begins before a window and those
 * that begin in it are all that can count, and an index finds them however long the lease is. (Behind row-level security an index takes
 * a bound with CASE, and not the same with COALESCE.)
 */
export const accrueSql = sql(
  'usage-accrue',
  `with page as materialized (
     select m.resource_id, m.meter from usage_meters m
     where m.accrued_to < m.evidence_to and m.resource_id > $9::uuid and mine(m.organization_id)
     order by m.resource_id fetch first ($2::int) rows with ties
   ), due as materialized (
     select m.*, u.upto, u.first, u.proven_to from page p
       join usage_meters m on m.resource_id = p.resource_id and m.meter = p.meter and mine(m.organization_id)
       join billing_accounts b on b.organization_id = m.organization_id and b.currency = m.currency
       join allocations a on a.id = m.resource_id and mine(a.organization_id)
       cross join lateral (select to_timestamp(floor(extract(epoch from m.accrued_to) / $1::int)::bigint * $1::int) as first,
         greatest(m.accrued_to, least(m.evidence_to, a.releasing_at, a.ended_at)) as proven_to) f
       cross join lateral (select f.first, f.proven_to, least(f.first + make_interval(secs => $1::int * $3::int),
         case when m.ended or f.proven_to < m.evidence_to
             or m.evidence_to < $7::timestamptz - make_interval(secs => $4 / 1000.0) then f.proven_to
           else to_timestamp(floor(extract(epoch from least(f.proven_to, $7::timestamptz
             - make_interval(secs => $8 / 1000.0))) / $1::int)::bigint * $1::int) end) as upto) u
     where m.accrued_to < m.evidence_to and (u.upto > m.accrued_to or u.proven_to < m.evidence_to) and mine(m.organization_id)
     for no key update of m skip locked
   ), windows as (
     select d.*, greatest(g.at, d.accrued_to) as from_at, least(g.at + make_interval(secs => $1::int), d.upto) as to_at
     from due d left join lateral generate_series(d.first, d.upto - interval '1 microsecond', make_interval(secs => $1::int))
       as g (at) on d.upto > d.accrued_to
   ), priced as (
     select w.*, x.quantity_ms, x.evidence,
       w.exact + coalesce(sum(w.rate_micro::numeric * x.quantity_ms) over s, 0) as exact_now
     from windows w left join lateral (
       select e.from_at as since from usage_evidence e where e.allocation_id = w.resource_id and e.organization_id = w.organization_id
         and e.from_at <= w.from_at and e.from_at > w.from_at - interval '1 day' and mine(e.organization_id)
       order by e.from_at desc limit 1
     ) b on true cross join lateral (
       select sum((extract(epoch from least(e.counts_to, w.to_at) - greatest(e.counts_from, w.from_at)) * 1000)::bigint
           * e.speed * case w.unit when 'node_hour' then (e.gpus >= w.gpus)::int else least(e.gpus, w.gpus) end)::bigint as quantity_ms,
         sha256(string_agg(e.digest, ''::bytea order by e.from_at)) as evidence
       from usage_evidence e where e.allocation_id = w.resource_id and e.organization_id = w.organization_id
         and e.from_at >= case when b.since is null then w.from_at else b.since end and e.from_at < w.to_at
         and e.counts_from < w.to_at and e.counts_to > w.from_at and mine(e.organization_id)
     ) x
     window s as (partition by w.resource_id, w.meter order by w.from_at)
   ), charged as materialized (
     select r.*, id_at($7::timestamptz) as id, r.charged - lag(r.charged, 1, r.charged_minor) over s as amount,
       lead(true) over s is null as is_last
     from (select p.*, div(p.exact_now * 2 + 3600000000000, 7200000000000)::bigint as charged from priced p) r
     window s as (partition by r.resource_id, r.meter order by r.from_at)
   ), kept as (
     insert into usage_windows (id, organization_id, project_id, resource_id, meter, sku, price_id, requested_by, currency,
       unit, from_at, to_at, quantity_ms, rate_micro, exact, charged_minor, amount_minor, evidence)
     select c.id, c.organization_id, c.project_id, c.resource_id, c.meter, c.sku, c.price_id, c.requested_by, c.currency,
       c.unit, c.from_at, c.to_at, c.quantity_ms, c.rate_micro, c.exact_now, c.charged, c.amount, c.evidence
     from charged c where c.evidence is not null
   ), entered as (
     insert into ledger_entries (id, organization_id, currency, kind, at, accounts, amounts, project_id, actor_id,
       correlation_id, document)
     select c.id, c.organization_id, c.currency, 'usage', $7::timestamptz, '{customer,revenue}', array[-c.amount, c.amount], c.project_id, $5,
       $6, sha256(convert_to(usage_text(c.id, c.organization_id, c.project_id, c.resource_id, c.meter, c.sku, c.price_id,
         c.requested_by, c.currency, c.unit, c.from_at, c.to_at, c.quantity_ms, c.rate_micro, c.exact_now, c.charged, c.amount,
         c.evidence), 'UTF8'))
     from charged c where c.amount > 0
   ), days as (
     insert into usage_days as d (id, organization_id, day, resource_id, meter, project_id, sku, currency, requested_by,
       quantity_ms, amount_minor, windows)
     select id_at($7::timestamptz), c.organization_id, (c.from_at at time zone 'UTC')::date, c.resource_id, c.meter,
       c.project_id, c.sku, c.currency, c.requested_by, sum(c.quantity_ms), sum(c.amount), count(*)
     from charged c where c.evidence is not null group by 2, 3, 4, 5, 6, 7, 8, 9
     on conflict (resource_id, meter, day) do update set quantity_ms = d.quantity_ms + excluded.quantity_ms,
       amount_minor = d.amount_minor + excluded.amount_minor, windows = d.windows + excluded.windows
   ), moved as (
     update usage_meters m set accrued_to = greatest(m.accrued_to, c.upto), evidence_to = c.proven_to, exact = c.exact_now,
       charged_minor = c.charged
     from charged c where c.is_last and m.resource_id = c.resource_id and m.meter = c.meter
   )
   select count(*) filter (where is_last)::int as meters, count(evidence)::int as windows,
     count(distinct organization_id) filter (where amount > 0)::int as organizations,
     case when (select count(*) from page) >= $2::int then (select p.resource_id from page p order by p.resource_id desc limit 1) end as more_behind
   from charged`,
);
/** The oldest proven moment that could have been charged and was not, for each way of being late. */
const lagSql = sql(
  'usage-lag',
  `select coalesce(max(extract(epoch from statement_timestamp() - greatest(m.accrued_to, e.received_at))), 0)::float8
     as seconds, count(*)::int as meters
   from usage_meters m cross join lateral (select min(v.received_at) as received_at from usage_evidence v
     where v.allocation_id = m.resource_id and v.to_at > m.accrued_to and mine(v.organization_id)) e
   where m.accrued_to < m.evidence_to and mine(m.organization_id)
     and (m.ended or floor(extract(epoch from m.evidence_to) / $1::int) > floor(extract(epoch from m.accrued_to) / $1::int))`,
);
const timeSql = sql('billing-time', 'select statement_timestamp() as now');
const monthsSql = sql('ledger-months-ahead', 'select ledger_months_ahead(act_time()) as made');

/** Less than every id. */
const beforeAll = '00000000-0000-0000-0000-000000000000';
/** What time it is, for everything that is charged: the database's, the same for all workers. */
export type BillingTime = (tx: ReadTx) => Promise<Date>;
export const databaseTime: BillingTime = async (tx) => (await tx.rows<{ now: Date }>(timeSql))[0]?.now as Date;

export interface Accrued {
  readonly meters: number;
  readonly windows: number;
  readonly organizations: number;
}
interface Page extends Accrued {
  /** The last meter of a full page, behind which there may be more. */
  readonly more_behind: string | null;
}
export interface AccrualBounds {
  readonly windowSeconds: number;
  readonly meters: number;
  readonly windows: number;
  readonly tailMs: number;
  /** How long a window is over before it is charged: releases that were accepted in it are known by then. */
  readonly settleMs: number;
}
export async function accrue(
  tx: WriteTx,
  bounds: AccrualBounds,
  by: { readonly actorId: string; readonly correlationId: string },
  now: Date,
  after: string | undefined,
): Promise<Page> {
  const [done] = await tx.rows<Page>(accrueSql, [
    ...[bounds.windowSeconds, bounds.meters, bounds.windows, bounds.tailMs],
    ...[by.actorId, by.correlationId, now, bounds.settleMs, after ?? beforeAll],
  ]);
  return done as Page;
}
export const readLag = async (tx: ReadTx, windowSeconds: number) =>
  (await tx.rows<{ seconds: number; meters: number }>(lagSql, [windowSeconds]))[0] as {
    seconds: number;
    meters: number;
  };
export const makeMonths = async (tx: WriteTx): Promise<number> =>
  (await tx.rows<{ made: number }>(monthsSql))[0]?.made ?? 0;

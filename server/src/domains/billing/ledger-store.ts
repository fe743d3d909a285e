import { type ReadTx, sql, type Viewer, type WriteTx } from '../../kernel/act.ts';

const accountSql = sql(
  'billing-account',
  `select b.organization_id, b.currency, b.balance_minor, b.held_minor, b.entries, b.seal_number
   from billing_accounts b where b.organization_id = $1 and mine(b.organization_id)`,
);
/** The hourly cost of everything that was ordered and has not begun to leave. */
const orderedSql = sql(
  'billing-ordered',
  `select coalesce(sum(case k.billing_unit when 'node_hour' then a.unit_price_minor
       else a.unit_price_minor * a.gpu_count end), 0)::bigint as per_hour
   from allocations a join skus k on k.slug = a.sku
   where a.organization_id = $1 and a.state in ('requested', 'provisioning', 'active') and mine(a.organization_id)`,
);
const enterSql = sql(
  'ledger-enter',
  `insert into ledger_entries (id, organization_id, currency, kind, accounts, amounts, actor_id, correlation_id, reason,
     corrects)
   select $1, b.organization_id, b.currency, $3, $4::text[], $5::bigint[], $6, $7, $8, $9
   from billing_accounts b where b.organization_id = $2 and mine(b.organization_id)`,
);
/**
 * Recomputes the chain of an account from its rows: the first link that does not fit, and what the entries add up to. A link
 * fits when it follows the one before, has all its entries, and its hash and balance come out of them.
 */
const verifySql = sql(
  'ledger-verify',
  `with links as (
     select s.number, s.hash, s.balance_minor, s.held_minor, cardinality(s.entry_ids) as wanted,
       coalesce(lag(s.hash) over w, ''::bytea) as hash_before, coalesce(lag(s.balance_minor) over w, 0) as balance_before,
       coalesce(lag(s.number) over w, 0) as number_before, e.found, e.amount, e.text
     from ledger_seals s cross join lateral (
       select count(*)::int as found, coalesce(sum(l.amounts[1]), 0) as amount, string_agg(ledger_text(l.id,
         l.organization_id, l.currency, l.kind, l.at, l.accounts, l.amounts, l.project_id, l.actor_id, l.correlation_id,
         l.reason, l.corrects, l.document), chr(30) order by l.id) as text
       from ledger_entries l where l.organization_id = s.organization_id and l.id = any (s.entry_ids)
         and l.at >= s.first_at and l.at <= s.last_at
     ) e
     where s.organization_id = $1 and mine(s.organization_id)
     window w as (order by s.number)
   ), wrong as (
     select l.number from links l where l.found <> l.wanted or l.number <> l.number_before + 1
       or l.balance_before + l.amount <> l.balance_minor
       or l.hash is distinct from ledger_hash(l.hash_before, l.number, l.balance_minor, l.held_minor, l.text)
   ), tip as (select number, hash, balance_minor from links order by number desc limit 1)
   select (select min(number) from wrong) as wrong_link,
     coalesce((select s.number from tip s), 0) = b.seal_number and coalesce((select s.hash from tip s), ''::bytea) = b.seal_hash
       as ends_here,
     (select count(*) from ledger_entries l where l.organization_id = b.organization_id) as entries, b.entries as counted,
     coalesce((select sum(l.amounts[1]) from ledger_entries l where l.organization_id = b.organization_id), 0)::bigint as sum,
     b.balance_minor, b.currency
   from billing_accounts b where b.organization_id = $1 and mine(b.organization_id)`,
);
/**
 * The first usage entry whose usage row, or what that rests on, is not what was charged: signed records of a lease, readings of what a
 * project stored, or readings of what an app had counted. The digests of readings are made anew from their texts.
 */
const verifyUsageSql = sql(
  'ledger-verify-usage',
  `select l.id from ledger_entries l
     left join usage_windows u on u.organization_id = l.organization_id and u.id = l.id
     left join lateral (
       select sha256(string_agg(e.digest, ''::bytea order by e.from_at)) as evidence, u.quantity_ms as quantity from usage_evidence e
       where u.meter = 'gpu_time' and e.allocation_id = u.resource_id and e.from_at < u.to_at and e.from_at > u.from_at - interval '1 day'
         and e.counts_from < u.to_at and e.counts_to > u.from_at and mine(e.organization_id)
       union all
       select sha256(string_agg(sha256(convert_to(storage_reading_text(r.project_id, r.organization_id, r.at, r.stored_bytes, r.byte_us),
           'UTF8')), ''::bytea order by r.at)),
         (select (div(max(t.byte_us), 1073741824000) - div(min(t.byte_us), 1073741824000))::bigint
          from (values (u.from_at), (u.to_at)) x (at) cross join lateral (
            select q.byte_us + q.stored_bytes::numeric * (extract(epoch from x.at - q.at) * 1000000)::bigint as byte_us
            from storage_readings q where q.project_id = u.resource_id and q.at <= x.at and mine(q.organization_id)
            order by q.at desc limit 1) t)
       from storage_readings r where u.meter = 'storage' and r.project_id = u.resource_id and r.at < u.to_at and mine(r.organization_id)
         and r.at >= (select max(q.at) from storage_readings q where q.project_id = u.resource_id and q.at <= u.from_at
           and mine(q.organization_id))
       union all
       select sha256(convert_to(app_use_reading_text(r.app_instance_id, r.meter, r.at, r.organization_id, r.app_version_id,
           r.endpoint_name, r.operating_mode, r.correlation_id, r.count), 'UTF8')),
         r.count - coalesce((select q.count from app_use_readings q where q.app_instance_id = r.app_instance_id and q.meter = r.meter
           and q.at < r.at and mine(q.organization_id) order by q.at desc limit 1), 0)
       from app_use_readings r where u.meter like 'app:%' and r.app_instance_id = u.resource_id and r.meter = u.meter
         and r.at = u.to_at and mine(r.organization_id)
     ) e on e.evidence is not null
   where l.organization_id = $1 and l.kind = 'usage' and mine(l.organization_id)
     and (u.id is null or u.evidence is distinct from e.evidence or u.quantity_ms is distinct from e.quantity
       or l.amounts[2] <> u.amount_minor
       or l.document is distinct from sha256(convert_to(usage_text(u.id, u.organization_id, u.project_id, u.resource_id,
         u.meter, u.sku, u.price_id, u.requested_by, u.currency, u.unit, u.from_at, u.to_at, u.quantity_ms, u.rate_micro,
         u.exact, u.charged_minor, u.amount_minor, u.evidence), 'UTF8')))
   order by l.at, l.id limit 1`,
);
/** The first day of a resource whose total, as people read it, is not the sum of its windows. */
const verifyDaysSql = sql(
  'ledger-verify-days',
  `select coalesce(d.resource_id, w.resource_id) as resource_id, coalesce(d.meter, w.meter) as meter, coalesce(d.day, w.day)::text as day
   from (select d.* from usage_days d where d.organization_id = $1 and mine(d.organization_id)) d
   full join (
     select u.resource_id, u.meter, (u.from_at at time zone 'UTC')::date as day, sum(u.amount_minor) as amount_minor,
       sum(u.quantity_ms) as quantity_ms, count(*) as windows
     from usage_windows u where u.organization_id = $1 and mine(u.organization_id) group by 1, 2, 3
   ) w on w.resource_id = d.resource_id and w.meter = d.meter and w.day = d.day
   where (d.amount_minor, d.quantity_ms, d.windows) is distinct from (w.amount_minor, w.quantity_ms, w.windows)
   order by 3, 1 limit 1`,
);
/** Accounts whose balance is not the sum of their entries. */
const compareSql = sql(
  'billing-compare',
  `select c.organization_id, c.wrong from (
     select b.organization_id, b.balance_minor <> coalesce((select sum(l.amounts[1]) from ledger_entries l
       where l.organization_id = b.organization_id and l.currency = b.currency), 0) as wrong
     from billing_accounts b where ($1::uuid is null or b.organization_id > $1) and mine(b.organization_id)
     order by b.organization_id limit $2) c order by c.organization_id`,
);

export interface AccountRow {
  readonly organization_id: string;
  readonly currency: string;
  readonly balance_minor: bigint;
  readonly held_minor: bigint;
  readonly entries: bigint;
  readonly seal_number: bigint;
}
export interface Verified {
  readonly wrong_link: bigint | null;
  readonly ends_here: boolean;
  readonly entries: bigint;
  readonly counted: bigint;
  readonly sum: bigint;
  readonly balance_minor: bigint;
  readonly currency: string;
}

export const findAccount = async (tx: ReadTx, organizationId: string): Promise<AccountRow | undefined> =>
  (await tx.rows<AccountRow>(accountSql, [organizationId]))[0];
export const readOrdered = async (tx: ReadTx, organizationId: string): Promise<bigint> =>
  (await tx.rows<{ per_hour: bigint }>(orderedSql, [organizationId]))[0]?.per_hour ?? 0n;
/** Which account stands against the customer's in each kind of entry but usage. */
const against = {
  grant: 'grants',
  top_up: 'payments',
  refund: 'payments',
  correction: 'payments',
  hold: 'held',
  hold_release: 'held',
} as const;
export interface NewEntry {
  readonly id: string;
  readonly organizationId: string;
  readonly kind: keyof typeof against;
  /** What it does to the balance. */
  readonly amount: bigint;
  /** What was paid or went back beside it as tax. */
  readonly tax?: bigint | undefined;
  readonly reason?: string | undefined;
  /** The entry that a correction sets right. */
  readonly corrects?: string | undefined;
  /** The account that a correction takes it from, where that is not the payments. */
  readonly against?: 'revenue' | 'grants' | 'payments';
}
/** Who enters it, and what that goes back to: an act. */
type EnteredBy = Pick<Viewer, 'actorId' | 'correlationId'>;
export async function enter(tx: WriteTx, entry: NewEntry, by: EnteredBy): Promise<void> {
  const [other, tax] = [entry.against ?? against[entry.kind], entry.tax ?? 0n];
  const accounts = tax === 0n ? ['customer', other] : ['customer', 'tax', other];
  const amounts = tax === 0n ? [entry.amount, -entry.amount] : [entry.amount, tax, -entry.amount - tax];
  const entered = await tx.run(enterSql, [
    ...[entry.id, entry.organizationId, entry.kind, accounts, amounts, by.actorId, by.correlationId],
    ...[entry.reason ?? null, entry.corrects ?? null],
  ]);
  if (entered !== 1) throw new Error(`the entry ${entry.id} was not made: ${entry.organizationId} has no account`);
}
export const verifyChain = async (tx: ReadTx, organizationId: string): Promise<Verified | undefined> =>
  (await tx.rows<Verified>(verifySql, [organizationId]))[0];
export const findWrongUsage = async (tx: ReadTx, organizationId: string): Promise<string | undefined> =>
  (await tx.rows<{ id: string }>(verifyUsageSql, [organizationId]))[0]?.id;
export const findWrongDay = async (tx: ReadTx, organizationId: string) =>
  (await tx.rows<{ resource_id: string; meter: string; day: string }>(verifyDaysSql, [organizationId]))[0];
export const compareBalances = (tx: ReadTx, after: string | undefined, limit: number) =>
  tx.rows<{ organization_id: string; wrong: boolean }>(compareSql, [after ?? null, limit]);

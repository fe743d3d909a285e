import { type ReadTx, sql } from '../../kernel/act.ts';
import { maxDetailLines } from './facts.ts';

/** Days in UTC: the first one, and the one after the last. */
export interface Period {
  readonly from: string;
  readonly to: string;
}
export interface UsageLine {
  /** Null where a line is about several SKUs. */
  readonly sku: string | null;
  readonly unit: string;
  /** Null where a line is about several prices. */
  readonly rate_micro: bigint | null;
  readonly quantity_ms: bigint;
  readonly amount_minor: bigint;
}
export interface EntryLine {
  readonly id: string;
  readonly kind: string;
  readonly day: string;
  readonly amount_minor: bigint;
  readonly tax_minor: bigint;
  readonly reason: string | null;
}
/** A line of a statement: one entry, or the sum of several of one kind. */
export interface StatementLine extends Pick<EntryLine, 'kind' | 'amount_minor' | 'reason'> {
  /** Null where a line is about the whole period. */
  readonly day: string | null;
  readonly entries: bigint;
}

/**
 * Usage that was charged in a period, by SKU and price. Where that gives more than `$4` lines it is by SKU, and where that is still
 * too many, by unit. A window so short that it rounds to nothing has no entry in the ledger; its id says when it was charged.
 */
const usageSql = sql(
  'invoicing-usage',
  `with summed as materialized (
   select w.sku, w.unit, w.rate_micro, sum(w.quantity_ms)::bigint as quantity_ms, sum(w.amount_minor)::bigint as amount_minor,
     grouping(w.sku) + grouping(w.rate_micro) as level
   from (
     select u.sku, u.unit, u.rate_micro, u.quantity_ms, u.amount_minor from ledger_entries l
       join usage_windows u on u.organization_id = l.organization_id and u.id = l.id
     where l.organization_id = $1 and l.kind = 'usage' and mine(l.organization_id) and mine(u.organization_id)
       and l.at >= $2::date::timestamp at time zone 'UTC' and l.at < $3::date::timestamp at time zone 'UTC'
     union all
     select u.sku, u.unit, u.rate_micro, u.quantity_ms, u.amount_minor from usage_windows u
     where u.organization_id = $1 and u.amount_minor = 0 and mine(u.organization_id)
       and u.id >= id_floor($2::date::timestamp at time zone 'UTC') and u.id < id_floor($3::date::timestamp at time zone 'UTC')
   ) w group by grouping sets ((w.sku, w.unit, w.rate_micro), (w.sku, w.unit), (w.unit)))
   select s.sku, s.unit, s.rate_micro, s.quantity_ms, s.amount_minor from summed s
   where s.level = (select case when count(*) filter (where c.level = 0) <= $4::int then 0
     when count(*) filter (where c.level = 1) <= $4::int then 1 else 2 end from summed c)
   order by 1, 2, 3`,
);
const entry = `e.id, e.kind, ((e.at at time zone 'UTC')::date)::text as day, e.amounts[1] as amount_minor,
  coalesce((select p.amount from unnest(e.accounts, e.amounts) p (account, amount) where p.account = 'tax'), 0) as tax_minor,
  e.reason`;
/**
 * What moved the balance in a period beside usage. Holds are not money spent, and each launch makes some: they are one line of each
 * kind for the whole period. Other entries have a line each; where they are more than `$4`, each day has one line of each kind.
 * So the number of lines is bounded by the days of the period, whatever the ledger has.
 */
const statementSql = sql(
  'invoicing-statement',
  `with moved as materialized (
     select e.id, e.at, e.kind, (e.at at time zone 'UTC')::date as day, e.amounts[1] as amount, e.reason,
       e.kind in ('hold', 'hold_release') as is_hold
     from ledger_entries e
     where e.organization_id = $1 and e.kind <> 'usage' and mine(e.organization_id)
       and (e.at at time zone 'UTC')::date >= $2::date and (e.at at time zone 'UTC')::date < $3::date
   ), much as materialized (select count(*) > $4::int as by_day from moved m where not m.is_hold)
   select l.kind, l.day::text as day, l.amount_minor, l.reason, l.entries from (
     select m.kind, m.day, m.amount as amount_minor, m.reason, 1::bigint as entries, m.at, m.id
     from moved m, much where not m.is_hold and not much.by_day
     union all
     select m.kind, case when m.is_hold then null else m.day end, sum(m.amount)::bigint, null, count(*), null, null
     from moved m, much where m.is_hold or much.by_day group by 1, 2
   ) l order by l.day nulls last, l.at, l.id, l.kind`,
);
const entrySql = sql(
  'invoicing-entry',
  `select ${entry} from ledger_entries e where e.organization_id = $1 and e.id = $2 and mine(e.organization_id)`,
);
const balanceSql = sql(
  'invoicing-balance',
  `select coalesce(sum(e.amounts[1]), 0)::bigint as balance_minor from ledger_entries e
   where e.organization_id = $1 and e.at < $2::date::timestamp at time zone 'UTC' and mine(e.organization_id)`,
);
/** How the payment behind an entry was taxed; nothing where no tax was decided. */
const treatedSql = sql(
  'invoicing-treated',
  `select p.tax_treatment from payment_sessions p
   where p.organization_id = $1 and mine(p.organization_id) and (p.credit_entry_id = $2
     or p.id = (select r.session_id from payment_refunds r where r.entry_id = $2 and mine(r.organization_id)))`,
);
/** What earlier invoices asked for and had not been paid or taken back when the period ended. */
const outstandingSql = sql(
  'invoicing-outstanding',
  `select coalesce(sum(i.net_minor), 0)::bigint as net_minor from invoices i
   where i.organization_id = $1 and i.period_from < $2::date and mine(i.organization_id)
     and (i.settled_at is null or i.settled_at >= $3::date::timestamp at time zone 'UTC')`,
);

export const readUsageLines = (tx: ReadTx, organizationId: string, { from, to }: Period, most = maxDetailLines) =>
  tx.rows<UsageLine>(usageSql, [organizationId, from, to, most]);
export const readStatementLines = (tx: ReadTx, organizationId: string, { from, to }: Period) =>
  tx.rows<StatementLine>(statementSql, [organizationId, from, to, maxDetailLines]);
export const findEntryLine = async (tx: ReadTx, organizationId: string, id: string) =>
  (await tx.rows<EntryLine>(entrySql, [organizationId, id]))[0];
/** The balance at the beginning of a day. */
export const readBalanceAt = async (tx: ReadTx, organizationId: string, day: string): Promise<bigint> =>
  (await tx.rows<{ balance_minor: bigint }>(balanceSql, [organizationId, day]))[0]?.balance_minor ?? 0n;
export const findTreated = async (tx: ReadTx, organizationId: string, entryId: string) =>
  (await tx.rows<{ tax_treatment: unknown }>(treatedSql, [organizationId, entryId]))[0]?.tax_treatment;
export const readOutstanding = async (tx: ReadTx, organizationId: string, { from, to }: Period): Promise<bigint> =>
  (await tx.rows<{ net_minor: bigint }>(outstandingSql, [organizationId, from, to]))[0]?.net_minor ?? 0n;

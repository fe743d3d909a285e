import { type ReadTx, sql } from '../../kernel/act.ts';

/** Days in UTC: the first one, and the one after the last. */
export interface Period {
  readonly from: string;
  readonly to: string;
}
export interface UsageLine {
  readonly sku: string;
  readonly unit: string;
  readonly rate_micro: bigint;
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

/**
 * Usage that was charged in a period, by what it was charged for. A window so short that it rounds to nothing has no entry in the
 * ledger; its id says when it was charged.
 */
const usageSql = sql(
  'invoicing-usage',
  `select w.sku, w.unit, w.rate_micro, sum(w.quantity_ms)::bigint as quantity_ms, sum(w.amount_minor)::bigint as amount_minor
   from (
     select u.sku, u.unit, u.rate_micro, u.quantity_ms, u.amount_minor from ledger_entries l
       join usage_windows u on u.organization_id = l.organization_id and u.id = l.id
     where l.organization_id = $1 and l.kind = 'usage' and mine(l.organization_id) and mine(u.organization_id)
       and l.at >= $2::date::timestamp at time zone 'UTC' and l.at < $3::date::timestamp at time zone 'UTC'
     union all
     select u.sku, u.unit, u.rate_micro, u.quantity_ms, u.amount_minor from usage_windows u
     where u.organization_id = $1 and u.amount_minor = 0 and mine(u.organization_id)
       and u.id >= id_floor($2::date::timestamp at time zone 'UTC') and u.id < id_floor($3::date::timestamp at time zone 'UTC')
   ) w group by 1, 2, 3 order by 1, 2, 3`,
);
const entry = `e.id, e.kind, ((e.at at time zone 'UTC')::date)::text as day, e.amounts[1] as amount_minor,
  coalesce((select p.amount from unnest(e.accounts, e.amounts) p (account, amount) where p.account = 'tax'), 0) as tax_minor,
  e.reason`;
const entriesSql = sql(
  'invoicing-entries',
  `select ${entry} from ledger_entries e
   where e.organization_id = $1 and e.kind <> 'usage' and mine(e.organization_id)
     and (e.at at time zone 'UTC')::date >= $2::date and (e.at at time zone 'UTC')::date < $3::date
   order by e.at, e.id`,
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

export const readUsageLines = (tx: ReadTx, organizationId: string, { from, to }: Period) =>
  tx.rows<UsageLine>(usageSql, [organizationId, from, to]);
export const readEntryLines = (tx: ReadTx, organizationId: string, { from, to }: Period) =>
  tx.rows<EntryLine>(entriesSql, [organizationId, from, to]);
export const findEntryLine = async (tx: ReadTx, organizationId: string, id: string) =>
  (await tx.rows<EntryLine>(entrySql, [organizationId, id]))[0];
/** The balance at the beginning of a day. */
export const readBalanceAt = async (tx: ReadTx, organizationId: string, day: string): Promise<bigint> =>
  (await tx.rows<{ balance_minor: bigint }>(balanceSql, [organizationId, day]))[0]?.balance_minor ?? 0n;
export const findTreated = async (tx: ReadTx, organizationId: string, entryId: string) =>
  (await tx.rows<{ tax_treatment: unknown }>(treatedSql, [organizationId, entryId]))[0]?.tax_treatment;
export const readOutstanding = async (tx: ReadTx, organizationId: string, { from, to }: Period): Promise<bigint> =>
  (await tx.rows<{ net_minor: bigint }>(outstandingSql, [organizationId, from, to]))[0]?.net_minor ?? 0n;

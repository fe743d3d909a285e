import type { BillingDocument } from '@gpuaas/contract';
import { type ReadTx, sql, type WriteTx } from '../../kernel/act.ts';

export interface DocumentRow {
  readonly id: string;
  readonly organization_id: string;
  readonly currency: string;
  readonly kind: BillingDocument['kind'];
  readonly number: string;
  readonly issued_at: Date;
  readonly period_from: string | null;
  readonly period_to: string | null;
  readonly entry_id: string | null;
  readonly refers_to: string | null;
  readonly tax_minor: bigint;
  readonly total_minor: bigint;
  readonly content: string;
  readonly content_sha256: Buffer;
  readonly renderer: string;
  readonly pdf_sha256: Buffer;
}
/** A document with what became of it: only invoices have more than one state. */
export interface ShownRow extends Omit<DocumentRow, 'content' | 'renderer' | 'pdf_sha256' | 'content_sha256'> {
  readonly state: BillingDocument['state'];
  readonly due_at: Date | null;
}

const columns = `d.id, d.organization_id, d.currency, d.kind, d.number, d.issued_at, d.period_from::text as period_from,
  d.period_to::text as period_to, d.entry_id, d.refers_to, d.tax_minor, d.total_minor`;
const state = `coalesce(i.state, 'final') as state, i.due_at`;
const listSql = sql(
  'billing-documents',
  `select ${columns}, ${state} from billing_documents d
     left join invoices i on i.document_id = d.id and mine(i.organization_id)
   where d.organization_id = $1 and ($2::uuid is null or d.id < $2) and ($3::text is null or d.kind = $3)
     and mine(d.organization_id) order by d.id desc limit $4`,
);
const getSql = sql(
  'billing-document',
  `select ${columns}, ${state}, d.content, d.content_sha256, d.renderer, d.pdf_sha256 from billing_documents d
     left join invoices i on i.document_id = d.id and mine(i.organization_id)
   where d.id = $1 and mine(d.organization_id)`,
);
/** Waits for a transaction that takes a number of the same series. */
const takeSql = sql(
  'billing-number-take',
  'update billing_series set last = last + 1 where series = $1 returning last',
);
const skipSql = sql(
  'billing-numbers-skip',
  'update billing_series set last = last + $1 where last > 0 returning series, last',
);
const insertSql = sql(
  'billing-document-insert',
  `insert into billing_documents (id, organization_id, currency, kind, number, series, sequence, issued_at, period_from,
     period_to, entry_id, refers_to, tax_minor, total_minor, content, content_sha256, renderer, pdf_sha256)
   values ($1, $2, $3, $4, $5, $6, $7, act_time(), $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`,
);
/** Accounts and months without a statement, oldest month first. Months count from the first entry on. */
const statementsDueSql = sql(
  'billing-statements-due',
  `select b.organization_id, b.currency, (m.at at time zone 'UTC')::date::text as "from",
     ((m.at + interval '1 month') at time zone 'UTC')::date::text as "to"
   from billing_accounts b join ledger_seals s on s.organization_id = b.organization_id and s.number = 1
     cross join lateral generate_series(date_trunc('month', s.first_at, 'UTC') at time zone 'UTC',
       (date_trunc('month', $1::timestamptz, 'UTC') - interval '1 month') at time zone 'UTC', interval '1 month') g (month)
     cross join lateral (select g.month at time zone 'UTC' as at) m
   where mine(b.organization_id) and mine(s.organization_id) and not exists (select from billing_documents d
     where d.organization_id = b.organization_id and d.kind = 'statement' and d.period_from = g.month::date
       and mine(d.organization_id))
   order by 3, 1 limit $2`,
);
/**
 * Entries about payments without a document. A refund counts once the provider has taken it; the payment of an invoice has the
 * invoice for a document.
 */
const entriesDueSql = sql(
  'billing-entries-due',
  `select e.id as entry_id, e.organization_id, e.currency, e.kind, d.id as refers_to, d.number as refers_to_number
   from ledger_entries e left join payment_refunds r on r.entry_id = e.id and mine(r.organization_id)
     left join payment_sessions p on p.id = r.session_id and mine(p.organization_id)
     left join billing_documents d on d.entry_id = p.credit_entry_id and mine(d.organization_id)
   where e.kind in ('top_up', 'refund') and mine(e.organization_id) and (r.id is null or r.sent_at is not null)
     and not exists (select from billing_documents b where b.entry_id = e.id and mine(b.organization_id))
     and not exists (select from invoices i where i.entry_id = e.id and mine(i.organization_id))
     and (r.id is null or d.id is not null)
   order by e.id limit $1`,
);
const compareSql = sql(
  'billing-documents-compare',
  `select d.id from billing_documents d where ($1::uuid is null or d.id > $1) and mine(d.organization_id)
   order by d.id limit $2`,
);

export const listDocuments = (
  tx: ReadTx,
  of: { readonly organizationId: string; readonly kind: string | undefined },
  before: string | undefined,
  limit: number,
) => tx.rows<ShownRow>(listSql, [of.organizationId, before ?? null, of.kind ?? null, limit]);
export const findDocument = async (tx: ReadTx, id: string) => (await tx.rows<ShownRow & DocumentRow>(getSql, [id]))[0];
export async function takeNumber(tx: WriteTx, series: string): Promise<bigint> {
  const [row] = await tx.rows<{ last: bigint }>(takeSql, [series]);
  if (!row) throw new Error(`there is no series ${series}`);
  return row.last;
}
export const insertDocument = (
  tx: WriteTx,
  row: Omit<DocumentRow, 'issued_at'> & { readonly series: string | null; readonly sequence: bigint | null },
) =>
  tx.run(insertSql, [
    ...[row.id, row.organization_id, row.currency, row.kind, row.number, row.series, row.sequence, row.period_from],
    ...[row.period_to, row.entry_id, row.refers_to, row.tax_minor, row.total_minor, row.content, row.content_sha256],
    ...[row.renderer, row.pdf_sha256],
  ]);

export interface DueStatement {
  readonly organization_id: string;
  readonly currency: string;
  readonly from: string;
  readonly to: string;
}
export const listDueStatements = (tx: ReadTx, before: Date, limit: number) =>
  tx.rows<DueStatement>(statementsDueSql, [before, limit]);
export interface DueEntry {
  readonly entry_id: string;
  readonly organization_id: string;
  readonly currency: string;
  readonly kind: 'top_up' | 'refund';
  readonly refers_to: string | null;
  readonly refers_to_number: string | null;
}
export const listDueEntries = (tx: ReadTx, limit: number) => tx.rows<DueEntry>(entriesDueSql, [limit]);
export const listIds = (tx: ReadTx, after: string | undefined, limit: number) =>
  tx.rows<{ id: string }>(compareSql, [after ?? null, limit]);
/** After a restore: numbers that may have been given out. A series without a document has shown none, so it begins where it would have. */
export const skipNumbers = (tx: WriteTx, count: number) => tx.rows<{ series: string; last: bigint }>(skipSql, [count]);

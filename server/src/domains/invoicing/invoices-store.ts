import type { Invoice } from '@gpuaas/contract';
import { type ReadTx, sql, type WriteTx } from '../../kernel/act.ts';

export interface InvoiceRow {
  readonly id: string;
  readonly organization_id: string;
  readonly organization_name: string;
  readonly currency: string;
  readonly state: Invoice['state'];
  readonly version: bigint;
  readonly period_from: string;
  readonly period_to: string;
  readonly net_minor: bigint;
  readonly tax_minor: bigint;
  readonly document_id: string | null;
  readonly number: string | null;
  readonly finalise_at: Date;
  readonly due_at: Date | null;
  readonly reminders: number;
  readonly note: string | null;
}

const columns = `i.id, i.organization_id, o.name as organization_name, i.currency, i.state, i.version,
  i.period_from::text as period_from, i.period_to::text as period_to, i.net_minor, i.tax_minor, i.document_id, d.number,
  i.finalise_at, i.due_at, i.reminders, i.note`;
const joined = `invoices i join organizations o on o.id = i.organization_id
  left join billing_documents d on d.id = i.document_id and mine(d.organization_id)`;
const listSql = sql(
  'invoice-list',
  `select ${columns} from ${joined} where ($1::uuid is null or i.id < $1) and ($2::text is null or i.state = $2)
     and ($3::uuid is null or i.organization_id = $3) and mine(i.organization_id) order by i.id desc limit $4`,
);
const getSql = sql('invoice-get', `select ${columns} from ${joined} where i.id = $1 and mine(i.organization_id)`);
export const lockInvoice = sql(
  'invoice-lock',
  'select i.state, i.version from invoices i where i.id = $1 and mine(i.organization_id) for update',
);
const insertSql = sql(
  'invoice-insert',
  `insert into invoices (id, organization_id, currency, period_from, period_to, net_minor, tax_minor, finalise_at)
   values ($1, $2, $3, $4, $5, $6, $7, act_time() + make_interval(hours => $8::int)) on conflict do nothing`,
);
/** Accounts with a contract that have no invoice for a month that has ended. */
const dueMonthSql = sql(
  'invoice-months-due',
  `select b.organization_id, b.currency from billing_accounts b
   where b.organization_id = any ($1::uuid[]) and mine(b.organization_id)
     and not exists (select from invoices i where i.organization_id = b.organization_id and i.period_from = $2::date
       and mine(i.organization_id))
   order by b.organization_id`,
);
const accountsSql = sql(
  'invoice-accounts',
  `select b.organization_id from billing_accounts b where ($1::uuid is null or b.organization_id > $1)
     and b.balance_minor < 0 and mine(b.organization_id) order by b.organization_id limit $2`,
);
const actionsSql = sql(
  'invoice-actions-due',
  `(select i.id, i.organization_id, 'finalise' as action from invoices i
     where i.state = 'draft' and i.finalise_at <= $1 and mine(i.organization_id) order by i.finalise_at limit $2)
   union all (select i.id, i.organization_id, 'lapse' from invoices i
     where i.state = 'final' and i.due_at <= $1 and mine(i.organization_id) order by i.due_at limit $2)
   union all (select i.id, i.organization_id, 'remind' from invoices i
     where i.state = 'past_due' and i.remind_at <= $1 and mine(i.organization_id) order by i.remind_at limit $2)`,
);
export const moveInvoice = sql(
  'invoice-move',
  `update invoices set state = $2, version = $3, document_id = coalesce($4, document_id), due_at = coalesce($5, due_at),
     net_minor = coalesce($6, net_minor), tax_minor = coalesce($7, tax_minor), entry_id = coalesce($8, entry_id),
     credit_note_id = coalesce($9, credit_note_id), note = coalesce($10, note),
     past_due_at = case when $2 = 'past_due' then act_time() else past_due_at end,
     remind_at = case when $2 = 'past_due' then act_time() + make_interval(days => $11::int) end,
     settled_at = case when $2 in ('paid', 'void') then act_time() end
   where id = $1 and mine(organization_id)`,
);
const remindSql = sql(
  'invoice-remind',
  `update invoices set reminders = reminders + 1, version = version + 1,
     remind_at = case when reminders + 1 < $3::int then $2::timestamptz + make_interval(days => $4::int) end
   where id = $1 and state = 'past_due' and remind_at <= $2 and mine(organization_id)
   returning reminders`,
);
const numbersSql = sql(
  'invoice-numbers',
  `select count(*) filter (where i.state = 'past_due')::int as past_due, count(*) filter (where i.state = 'draft')::int as draft
   from invoices i where i.state in ('past_due', 'draft') and mine(i.organization_id)`,
);
/** Since when the oldest invoice that is past due has been so. */

export const listInvoices = (
  tx: ReadTx,
  of: { readonly state?: string; readonly organization_id?: string },
  before: string | undefined,
  limit: number,
) => tx.rows<InvoiceRow>(listSql, [before ?? null, of.state ?? null, of.organization_id ?? null, limit]);
export const findInvoice = async (tx: ReadTx, id: string) => (await tx.rows<InvoiceRow>(getSql, [id]))[0];
export const insertInvoice = (
  tx: WriteTx,
  row: Pick<
    InvoiceRow,
    'id' | 'organization_id' | 'currency' | 'period_from' | 'period_to' | 'net_minor' | 'tax_minor'
  >,
  draftHours: number,
) =>
  tx.run(insertSql, [
    ...[row.id, row.organization_id, row.currency, row.period_from, row.period_to, row.net_minor, row.tax_minor],
    draftHours,
  ]);
/** Accounts that owe something, a page at a time. */
export const listOwing = async (tx: ReadTx, after: string | undefined, limit: number): Promise<string[]> =>
  (await tx.rows<{ organization_id: string }>(accountsSql, [after ?? null, limit])).map((row) => row.organization_id);
export const listUninvoiced = (tx: ReadTx, organizationIds: readonly string[], from: string) =>
  tx.rows<{ organization_id: string; currency: string }>(dueMonthSql, [organizationIds, from]);
export interface DueAction {
  readonly id: string;
  readonly organization_id: string;
  readonly action: 'finalise' | 'lapse' | 'remind';
}
export const listActions = (tx: ReadTx, now: Date, limit: number) => tx.rows<DueAction>(actionsSql, [now, limit]);
/** How many reminders there were with this one; nothing when another worker was faster. */
export const remind = async (
  tx: WriteTx,
  id: string,
  how: { readonly now: Date; readonly most: number; readonly days: number },
) => (await tx.rows<{ reminders: number }>(remindSql, [id, how.now, how.most, how.days]))[0]?.reminders;
export const readNumbers = async (tx: ReadTx) =>
  (await tx.rows<{ past_due: number; draft: number }>(numbersSql))[0] ?? { past_due: 0, draft: 0 };

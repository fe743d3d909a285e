import { type ReadTx, sql } from '../../../kernel/act.ts';

/** The invoice that has been past due for longest, and longer than is let pass. */
const pastDueSql = sql(
  'launch-past-due',
  `select d.number, i.net_minor + i.tax_minor as total_minor, i.currency, coalesce(i.due_at, i.created_at) as due_at from invoices i
     join billing_documents d on d.id = i.document_id and mine(d.organization_id)
   where i.organization_id = $1 and i.state = 'past_due' and i.due_at <= act_time() - make_interval(days => $2)
     and mine(i.organization_id)
   order by i.due_at limit 1`,
);

export interface PastDueRow {
  readonly number: string;
  readonly total_minor: bigint;
  readonly currency: string;
  readonly due_at: Date;
}
export const findPastDue = async (
  tx: ReadTx,
  organizationId: string,
  graceDays: number,
): Promise<PastDueRow | undefined> => (await tx.rows<PastDueRow>(pastDueSql, [organizationId, graceDays]))[0];

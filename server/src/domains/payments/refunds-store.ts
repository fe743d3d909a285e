import { type ReadTx, sql, type WriteTx } from '../../kernel/act.ts';

export interface RefundRow {
  readonly id: string;
  readonly session_id: string;
  readonly organization_id: string;
  readonly amount_minor: bigint;
  readonly tax_minor: bigint;
  readonly entry_id: string;
  readonly provider_payment_id: string;
}

const insertSql = sql(
  'payment-refund-insert',
  `insert into payment_refunds (id, session_id, organization_id, currency, amount_minor, reason, requested_by, entry_id, tax_minor,
     paid_to)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) returning created_at`,
);
const reserveSql = sql(
  'payment-refund-reserve',
  `update payment_sessions set refunded_minor = refunded_minor + $2, version = version + 1
   where id = $1 and mine(organization_id)`,
);
const creditSql = sql(
  'payment-refund-credit',
  `update payment_sessions set credited_back_minor = credited_back_minor + $2, version = version + 1
   where id = $1 and mine(organization_id)`,
);
const waitingSql = sql(
  'payment-refunds-waiting',
  `select r.id, r.session_id, r.organization_id, r.amount_minor, r.tax_minor, r.entry_id, p.payment_id as provider_payment_id
   from payment_refunds r join payment_sessions p on p.id = r.session_id and p.organization_id = r.organization_id
   where r.sent_at is null and r.refusal is null and r.paid_to = 'payer' and p.provider = $1
     and mine(r.organization_id) order by r.id limit $2`,
);
const lockSql = sql(
  'payment-refund-lock',
  `select r.id from payment_refunds r where r.id = $1 and r.sent_at is null and r.refusal is null
     and mine(r.organization_id) for update`,
);
const sentSql = sql(
  'payment-refund-sent',
  `update payment_refunds set provider_refund_id = $2, sent_at = act_time() where id = $1 and mine(organization_id)`,
);
const refusedSql = sql(
  'payment-refund-refused',
  'update payment_refunds set refusal = $2 where id = $1 and mine(organization_id)',
);

export async function insertRefund(
  tx: WriteTx,
  made: Omit<RefundRow, 'provider_payment_id'> & {
    readonly currency: string;
    readonly reason: string;
    readonly requested_by: string;
    readonly paid_to: 'payer' | 'credit';
  },
): Promise<Date> {
  const [row] = await tx.rows<{ created_at: Date }>(insertSql, [
    ...[made.id, made.session_id, made.organization_id, made.currency, made.amount_minor, made.reason],
    ...[made.requested_by, made.entry_id, made.tax_minor, made.paid_to],
  ]);
  if (!row) throw new Error(`the refund ${made.id} was not kept`);
  return row.created_at;
}
/** Counts as gone back from now on, or no more. */
export const reserve = (tx: WriteTx, paymentId: string, amount: bigint) => tx.run(reserveSql, [paymentId, amount]);
/** Counts as given back as credit from now on. */
export const noteCredit = (tx: WriteTx, paymentId: string, amount: bigint) => tx.run(creditSql, [paymentId, amount]);
export const listWaiting = (tx: ReadTx, provider: string, limit: number) =>
  tx.rows<RefundRow>(waitingSql, [provider, limit]);
/** False when another worker was faster. */
export const lockWaiting = async (tx: WriteTx, id: string): Promise<boolean> =>
  (await tx.rows(lockSql, [id])).length === 1;
export const noteSent = (tx: WriteTx, id: string, providerRefundId: string) => tx.run(sentSql, [id, providerRefundId]);
export const noteRefused = (tx: WriteTx, id: string, why: string) => tx.run(refusedSql, [id, why]);

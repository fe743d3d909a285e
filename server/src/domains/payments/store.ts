import { type ReadTx, sql, type WriteTx } from '../../kernel/act.ts';
import type { PaymentFacts } from '../../ports/payments/port.ts';
import type { Treated } from '../invoicing/index.ts';
import type { Standing } from './decide.ts';

export interface PaymentRow extends Standing {
  readonly id: string;
  readonly organization_id: string;
  /** What is to be paid, and what of it is tax. */
  readonly amount_minor: bigint;
  readonly tax_minor: bigint;
  readonly version: bigint;
  readonly provider: 'simulated' | 'stripe';
  readonly checkout_id: string;
  readonly url: string;
  readonly requested_by: string;
  readonly problem: string | null;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly settled_at: Date | null;
  readonly checked_at: Date | null;
  /** What was given back as credit, before tax. */
  readonly credited_back_minor: bigint;
  /** Of an automatic payment: the crossing of the threshold that it is for, which attempt it is, and the card. */
  readonly crossing: bigint | null;
  readonly attempt: number | null;
  readonly method_id: string | null;
}
export interface AdminPaymentRow extends PaymentRow {
  readonly organization_name: string;
}

const startSql = sql(
  'payment-start',
  `select o.name, b.currency, c.customer_id, (select count(*)::int from payment_sessions p
     where p.organization_id = o.id and p.state = 'open' and p.expires_at > act_time()) as open
   from organizations o join billing_accounts b on b.organization_id = o.id
     left join payment_customers c on c.organization_id = o.id and c.provider = $2
   where o.id = $1 and mine(o.id)`,
);
const insertSql = sql(
  'payment-insert',
  `insert into payment_sessions (id, organization_id, currency, amount_minor, provider, checkout_id, url, requested_by,
     expires_at, check_at, tax_minor, tax_treatment)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, act_time() + $10 * interval '1 ms', $11, $12) returning *`,
);
const keepCustomerSql = sql(
  'payment-customer',
  `insert into payment_customers (organization_id, provider, customer_id) values ($1, $2, $3) on conflict do nothing`,
);
const listSql = sql(
  'payment-list',
  `select p.* from payment_sessions p where p.organization_id = $1 and ($2::uuid is null or p.id < $2)
     and mine(p.organization_id) order by p.id desc limit $3`,
);
const getSql = sql(
  'payment-get',
  'select p.* from payment_sessions p where p.organization_id = $1 and p.id = $2 and mine(p.organization_id)',
);
const adminListSql = sql(
  'payment-admin-list',
  `select p.*, o.name as organization_name from payment_sessions p join organizations o on o.id = p.organization_id
   where ($1::uuid is null or p.id < $1) and ($2::text is null or p.state = $2)
     and ($3::uuid is null or p.organization_id = $3) and mine(p.organization_id) order by p.id desc limit $4`,
);
const lockSql = sql(
  'payment-lock',
  'select p.* from payment_sessions p where p.id = $1 and mine(p.organization_id) for update',
);
/** By our own name, or by one of those that the provider uses. */
const lockByFactsSql = sql(
  'payment-lock-by-facts',
  `select p.* from payment_sessions p where p.provider = $1 and mine(p.organization_id)
     and (p.id::text = $2 or p.checkout_id = $3 or p.payment_id = $4)
   order by p.id limit 1 for update`,
);
const moveSql = sql(
  'payment-move',
  `update payment_sessions set state = $2, version = version + 1, payment_id = coalesce(payment_id, $3),
     credited_minor = $4, refunded_minor = $5, disputed_minor = $6, credit_entry_id = coalesce(credit_entry_id, $7),
     problem = $8, settled_at = case when $4::bigint > 0 then coalesce(settled_at, act_time()) else settled_at end,
     checked_at = case when $9 then act_time() else checked_at end,
     check_at = act_time() + $10::bigint * interval '1 ms'
   where id = $1 and mine(organization_id)`,
);
const eventSeenSql = sql(
  'payment-event-seen',
  `select exists (select from payment_events e where e.provider = $1 and e.event_id = $2
     and (e.organization_id is null or mine(e.organization_id))) as seen`,
);
const eventSql = sql(
  'payment-event',
  `insert into payment_events (provider, event_id, type, occurred_at, organization_id, session_id, payment_id, outcome)
   values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing`,
);
const earlySql = sql(
  'payment-early-events',
  `select exists (select from payment_events e where e.provider = $1 and e.payment_id = $2 and e.outcome = 'unmatched'
     and (e.organization_id is null or mine(e.organization_id))) as early`,
);
const dueSql = sql(
  'payment-due',
  `select p.* from payment_sessions p where p.check_at <= act_time() and p.provider = $1 and mine(p.organization_id)
   order by p.check_at limit $2`,
);
const numbersSql = sql(
  'payment-numbers',
  `select (select count(*)::int from payment_sessions p where p.state = 'failed_reconcile' and mine(p.organization_id))
       as unfit,
     coalesce(extract(epoch from act_time() - (select min(p.check_at) from payment_sessions p where p.check_at <= act_time()
       and mine(p.organization_id))), 0)::float8 as lag_seconds,
     (select count(*)::int from payment_refunds r where r.sent_at is null and r.refusal is null and r.paid_to = 'payer'
       and mine(r.organization_id)) as refunds,
     (select count(*)::int from payment_sessions p where p.crossing is not null and p.state = 'open' and p.url = ''
       and p.created_at < act_time() - $1 * interval '1 ms' and mine(p.organization_id)) as stuck`,
);

export const readStart = async (tx: ReadTx, organizationId: string, provider: string) =>
  (
    await tx.rows<{ name: string; currency: string; customer_id: string | null; open: number }>(startSql, [
      organizationId,
      provider,
    ])
  )[0];
export const insertPayment = async (
  tx: WriteTx,
  made: Pick<PaymentRow, 'id' | 'organization_id' | 'currency' | 'amount_minor' | 'provider' | 'checkout_id' | 'url'> &
    Pick<PaymentRow, 'requested_by' | 'expires_at' | 'tax_minor'> & { readonly treated: Treated },
  checkInMs: number,
): Promise<PaymentRow> => {
  const [row] = await tx.rows<PaymentRow>(insertSql, [
    ...[made.id, made.organization_id, made.currency, made.amount_minor, made.provider, made.checkout_id, made.url],
    ...[made.requested_by, made.expires_at, checkInMs, made.tax_minor, made.treated],
  ]);
  if (!row) throw new Error(`the payment ${made.id} was not kept`);
  return row;
};
export const keepCustomer = (tx: WriteTx, organizationId: string, provider: string, customerId: string) =>
  tx.run(keepCustomerSql, [organizationId, provider, customerId]);
export const listPayments = (tx: ReadTx, organizationId: string, before: string | undefined, limit: number) =>
  tx.rows<PaymentRow>(listSql, [organizationId, before ?? null, limit]);
export const findPayment = async (tx: ReadTx, organizationId: string, id: string) =>
  (await tx.rows<PaymentRow>(getSql, [organizationId, id]))[0];
export const listAllPayments = (
  tx: ReadTx,
  of: { readonly state?: string; readonly organization_id?: string },
  before: string | undefined,
  limit: number,
) => tx.rows<AdminPaymentRow>(adminListSql, [before ?? null, of.state ?? null, of.organization_id ?? null, limit]);
export const lockPayment = async (tx: WriteTx, id: string) => (await tx.rows<PaymentRow>(lockSql, [id]))[0];
export const lockByFacts = async (tx: WriteTx, provider: string, { reference, checkoutId, paymentId }: PaymentFacts) =>
  (await tx.rows<PaymentRow>(lockByFactsSql, [provider, reference ?? null, checkoutId ?? null, paymentId ?? null]))[0];
export const movePayment = (
  tx: WriteTx,
  id: string,
  to: Pick<
    PaymentRow,
    'state' | 'payment_id' | 'credited_minor' | 'refunded_minor' | 'disputed_minor' | 'credit_entry_id' | 'problem'
  >,
  check: { readonly isCheck: boolean; readonly nextInMs: number | undefined },
) =>
  tx.run(moveSql, [
    ...[id, to.state, to.payment_id, to.credited_minor, to.refunded_minor, to.disputed_minor, to.credit_entry_id],
    ...[to.problem, check.isCheck, check.nextInMs ?? null],
  ]);
export const wasEventSeen = async (tx: ReadTx, provider: string, eventId: string): Promise<boolean> =>
  (await tx.rows<{ seen: boolean }>(eventSeenSql, [provider, eventId]))[0]?.seen === true;
/** False when the event was taken before. */
export const takeEvent = async (
  tx: WriteTx,
  event: { readonly provider: string; readonly id: string; readonly type: string; readonly at: Date },
  of: { readonly payment: PaymentRow | undefined; readonly paymentId: string | undefined; readonly outcome: string },
): Promise<boolean> =>
  (await tx.run(eventSql, [
    ...[event.provider, event.id, event.type, event.at, of.payment?.organization_id ?? null, of.payment?.id ?? null],
    ...[of.paymentId ?? null, of.outcome],
  ])) === 1;
export const hasEarlyEvents = async (tx: ReadTx, provider: string, paymentId: string): Promise<boolean> =>
  (await tx.rows<{ early: boolean }>(earlySql, [provider, paymentId]))[0]?.early === true;
export const listDue = (tx: ReadTx, provider: string, limit: number) => tx.rows<PaymentRow>(dueSql, [provider, limit]);
export const readNumbers = async (tx: ReadTx, stuckAfterMs: number) =>
  (
    await tx.rows<{ unfit: number; lag_seconds: number; refunds: number; stuck: number }>(numbersSql, [stuckAfterMs])
  )[0] ?? { ...{ unfit: 0, lag_seconds: 0, refunds: 0, stuck: 0 } };

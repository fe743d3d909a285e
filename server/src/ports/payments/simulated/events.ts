import { randomBytes } from 'node:crypto';

/** A checkout as the simulated provider keeps it. */
export interface CheckoutRow {
  readonly id: string;
  readonly reference: string;
  readonly customer: string;
  readonly amount: string;
  readonly currency: string;
  readonly title: string;
  readonly paid_url: string;
  readonly left_url: string;
  readonly expires_at: Date;
  readonly paid_at: Date | null;
  readonly payment_id: string | null;
  readonly refunded: string;
  readonly dispute: string | null;
}

export const newId = (prefix: string): string => `${prefix}_sim_${randomBytes(12).toString('hex')}`;

const eventOf = (type: string, at: Date, object: object): string =>
  JSON.stringify({
    id: newId('evt'),
    object: 'event',
    type,
    created: Math.floor(at.getTime() / 1_000),
    livemode: false,
    data: { object },
  });

/** A checkout in the words of Stripe. */
export const checkoutObject = (row: CheckoutRow, now: Date) => ({
  id: row.id,
  object: 'checkout.session',
  client_reference_id: row.reference,
  customer: row.customer,
  payment_intent: row.payment_id,
  status: row.paid_at ? 'complete' : row.expires_at <= now ? 'expired' : 'open',
  payment_status: row.paid_at ? 'paid' : 'unpaid',
  amount_total: Number(row.amount),
  currency: row.currency.toLowerCase(),
});

export const paidEvent = (row: CheckoutRow, at: Date): string =>
  eventOf('checkout.session.completed', at, checkoutObject(row, at));
export const paymentEvent = (row: CheckoutRow, at: Date): string =>
  eventOf('payment_intent.succeeded', at, {
    object: 'payment_intent',
    id: row.payment_id,
    status: 'succeeded',
    amount_received: Number(row.amount),
    currency: row.currency.toLowerCase(),
    metadata: { payment_id: row.reference },
  });
export const refundedEvent = (row: CheckoutRow, at: Date): string =>
  eventOf('charge.refunded', at, {
    object: 'charge',
    payment_intent: row.payment_id,
    amount_refunded: Number(row.refunded),
    currency: row.currency.toLowerCase(),
  });
export const disputeEvent = (row: CheckoutRow, at: Date): string =>
  eventOf(row.dispute === 'needs_response' ? 'charge.dispute.created' : 'charge.dispute.closed', at, {
    object: 'dispute',
    payment_intent: row.payment_id,
    amount: Number(row.amount),
    currency: row.currency.toLowerCase(),
    status: row.dispute,
  });

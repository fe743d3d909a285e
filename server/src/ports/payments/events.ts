import { type Static, type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import type { PaymentFacts, ProviderEvent } from './port.ts';

/**
 * Events as Stripe writes them; the simulated provider writes them alike. Only what is used is looked at: providers add fields, and
 * an event of an unknown type says nothing about a payment.
 */
const Id = Type.String({ minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' });
const Minor = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const Currency = Type.String({ pattern: '^[a-z]{3}$' });
const orNull = <S extends TSchema>(schema: S) => Type.Optional(Type.Union([schema, Type.Null()]));

const Event = Type.Object({
  id: Id,
  object: Type.Literal('event'),
  type: Id,
  created: Type.Integer({ minimum: 0, maximum: 253_402_300_799 }),
  data: Type.Object({ object: Type.Object({}) }),
});
/** What is in an event is an id; what was asked for may be the thing itself. */
const idOf = (value: string | { readonly id: string } | null | undefined): string | undefined =>
  (typeof value === 'string' ? value : value?.id) ?? undefined;
const Reference = Type.Union([Id, Type.Object({ id: Id })]);

const CheckoutObject = Type.Object({
  id: Id,
  client_reference_id: orNull(Id),
  payment_intent: orNull(Reference),
  status: orNull(Type.String()),
  payment_status: Type.String(),
  amount_total: orNull(Minor),
  currency: orNull(Currency),
});
const PaymentObject = Type.Object({
  id: Id,
  status: Type.String(),
  amount_received: Minor,
  currency: Currency,
  metadata: Type.Optional(Type.Object({ payment_id: Type.Optional(Id) })),
});
const ChargeObject = Type.Object({ payment_intent: orNull(Reference), amount_refunded: Minor, currency: Currency });
const DisputeObject = Type.Object({
  payment_intent: orNull(Reference),
  amount: Minor,
  currency: Currency,
  status: Type.String(),
});

const minor = (value: number | null | undefined): bigint | undefined =>
  value === null || value === undefined ? undefined : BigInt(value);

export function factsOfCheckout(checkout: Static<typeof CheckoutObject>): PaymentFacts {
  const isPaid = checkout.payment_status === 'paid';
  return {
    checkoutId: checkout.id,
    reference: checkout.client_reference_id ?? undefined,
    paymentId: idOf(checkout.payment_intent),
    // A checkout can be complete before its money has come: with a bank transfer, for example.
    status: isPaid ? 'paid' : checkout.status === 'expired' ? 'expired' : 'open',
    amountMinor: minor(checkout.amount_total),
    currency: checkout.currency?.toUpperCase(),
  };
}
/** A payment that was charged without a checkout. One that cannot be made any more has failed. */
export function factsOfPayment(payment: Static<typeof PaymentObject>): PaymentFacts {
  const isOver = payment.status === 'canceled' || payment.status === 'requires_payment_method';
  return {
    paymentId: payment.id,
    reference: payment.metadata?.payment_id,
    status: payment.status === 'succeeded' ? 'paid' : isOver ? 'failed' : 'open',
    amountMinor: BigInt(payment.amount_received),
    currency: payment.currency.toUpperCase(),
  };
}
const outcomes: Readonly<Record<string, 'won' | 'lost'>> = { won: 'won', warning_closed: 'won', lost: 'lost' };
export const disputeOf = (amountMinor: bigint, status: string) => ({
  amountMinor,
  outcome: outcomes[status] ?? ('open' as const),
});

const readers: Readonly<Record<string, (object: unknown) => PaymentFacts | undefined>> = {
  checkout: (object) => (Value.Check(CheckoutObject, object) ? factsOfCheckout(object) : undefined),
  failed: (object) =>
    Value.Check(CheckoutObject, object) ? { ...factsOfCheckout(object), status: 'failed' } : undefined,
  payment: (object) => (Value.Check(PaymentObject, object) ? factsOfPayment(object) : undefined),
  charge: (object) =>
    Value.Check(ChargeObject, object)
      ? {
          paymentId: idOf(object.payment_intent),
          refundedMinor: BigInt(object.amount_refunded),
          currency: object.currency.toUpperCase(),
        }
      : undefined,
  dispute: (object) =>
    Value.Check(DisputeObject, object)
      ? {
          paymentId: idOf(object.payment_intent),
          currency: object.currency.toUpperCase(),
          dispute: disputeOf(BigInt(object.amount), object.status),
        }
      : undefined,
};
const kinds: Readonly<Record<string, keyof typeof readers>> = {
  'checkout.session.completed': 'checkout',
  'checkout.session.async_payment_succeeded': 'checkout',
  'checkout.session.async_payment_failed': 'failed',
  'checkout.session.expired': 'checkout',
  'payment_intent.succeeded': 'payment',
  'charge.refunded': 'charge',
  'charge.dispute.created': 'dispute',
  'charge.dispute.updated': 'dispute',
  'charge.dispute.closed': 'dispute',
};

/** Nothing when these are not the bytes of an event. */
export function parseEvent(body: Buffer): ProviderEvent | undefined {
  let event: unknown;
  try {
    event = JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
  if (!Value.Check(Event, event)) return undefined;
  const kind = Object.hasOwn(kinds, event.type) ? kinds[event.type] : undefined;
  const facts = kind === undefined ? undefined : readers[kind]?.(event.data.object);
  if (kind !== undefined && facts === undefined) return undefined;
  return { id: event.id, type: event.type, at: new Date(event.created * 1_000), facts };
}

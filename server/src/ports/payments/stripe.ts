import { Stripe } from 'stripe';
import type { Clock } from '../../kernel/clock.ts';
import { Outage } from '../../kernel/fault.ts';
import type { Adapted } from '../adapter.ts';
import { findObjection } from './amounts.ts';
import { disputeOf, factsOfCheckout, parseEvent } from './events.ts';
import type { CheckoutOrder, PaymentFacts, Payments, ProviderEvent, Refused } from './port.ts';
import { isTimely, signedAt, toleranceSeconds } from './signature.ts';
import { makeStripeCards } from './stripe-cards.ts';

export interface StripeConfig {
  readonly secretKey: string;
  readonly webhookSecret?: string;
  /** Where its API is, unless it is Stripe's own. */
  readonly url?: string;
}

/** A refusal that concerns one request, with what the library knows about it. */
export interface Answered extends Refused {
  readonly code: string | undefined;
  readonly paymentId: string | undefined;
}
export type Ask = <T>(work: (stripe: Stripe) => Promise<T>) => Promise<T | Answered>;

const deadlineMs = 10_000;
/** Its library repeats what was lost on the way; the idempotency key makes that harmless. */
const retries = 2;

/** Payments by Stripe, over its library. Each write carries our reference as its idempotency key. */
export function openStripePayments({ clock, ...config }: StripeConfig & { readonly clock: Clock }): Payments & Adapted {
  const stripe = connect(config);
  let closed = false;
  /** A refusal that concerns this one request is a value; everything else throws. */
  const ask: Ask = async (work) => {
    if (closed) throw new Error('payments are closed');
    try {
      return await work(stripe);
    } catch (error) {
      const isOurs =
        error instanceof Stripe.errors.StripeCardError || error instanceof Stripe.errors.StripeInvalidRequestError;
      if (isOurs) return { refused: error.message, code: error.code, paymentId: error.payment_intent?.id };
      if (error instanceof Stripe.errors.StripeError) throw new Outage(`Stripe: ${error.message}`, { cause: error });
      throw error;
    }
  };
  return {
    adapter: { name: 'stripe', kind: 'production' },
    ...makeStripeCards(ask, { clock, laterNews: (payment, facts) => withLaterNews(ask, payment, facts) }),
    provider: 'stripe',
    async customer({ reference, name }) {
      const made = await ask(({ customers }) =>
        customers.create(
          { name, metadata: { organization_id: reference } },
          { idempotencyKey: `customer-${reference}` },
        ),
      );
      if ('refused' in made) throw new Outage(`Stripe refused a customer: ${made.refused}`);
      return made.id;
    },
    async openCheckout(order) {
      const objection = findObjection(order, clock.now());
      if (objection) return { refused: objection };
      const made = await ask(({ checkout }) =>
        checkout.sessions.create(checkoutOf(order), { idempotencyKey: `checkout-${order.reference}` }),
      );
      if ('refused' in made) return { refused: made.refused };
      if (!made.url) throw new Outage(`Stripe opened the checkout ${made.id} without a page`);
      return { checkoutId: made.id, url: made.url };
    },
    async findCheckout(checkoutId) {
      const found = await ask(({ checkout }) =>
        checkout.sessions.retrieve(checkoutId, { expand: ['payment_intent.latest_charge'] }),
      );
      if (!('refused' in found)) return wholeFacts(ask, found);
      if (found.code === 'resource_missing') return undefined;
      throw new Outage(`Stripe: ${found.refused}`);
    },
    async refund({ reference, paymentId, amountMinor }) {
      const made = await ask(({ refunds }) =>
        refunds.create(
          { payment_intent: paymentId, amount: Number(amountMinor), metadata: { refund_id: reference } },
          { idempotencyKey: `refund-${reference}` },
        ),
      );
      if ('refused' in made) return { refused: made.refused };
      return made.status === 'failed' || made.status === 'canceled'
        ? { refused: `Stripe says that the refund ${made.id} is ${made.status}` }
        : { refundId: made.id };
    },
    readEvent: (body, signature) => readEvent(stripe, config.webhookSecret, { body, signature, now: clock.now() }),
    async check() {
      const answer = await ask(({ balance }) => balance.retrieve());
      if ('refused' in answer) throw new Error(`Stripe: ${answer.refused}`);
    },
    async close() {
      closed = true;
    },
  };
}

function connect({ secretKey, url }: StripeConfig): Stripe {
  const { protocol, hostname, port } = new URL(url ?? 'https://api.stripe.com');
  const isPlain = protocol === 'http:';
  return new Stripe(secretKey, {
    ...(url && {
      host: hostname,
      port: port === '' ? (isPlain ? 80 : 443) : Number(port),
      protocol: isPlain ? ('http' as const) : ('https' as const),
    }),
    timeout: deadlineMs,
    maxNetworkRetries: retries,
    telemetry: false,
  });
}

const checkoutOf = (order: CheckoutOrder): Stripe.Checkout.SessionCreateParams => ({
  mode: 'payment',
  customer: order.customerId,
  client_reference_id: order.reference,
  success_url: order.paidUrl,
  cancel_url: order.leftUrl,
  expires_at: Math.floor(order.expiresAt.getTime() / 1_000),
  line_items: [
    {
      quantity: 1,
      price_data: {
        currency: order.currency.toLowerCase(),
        unit_amount: Number(order.amountMinor),
        product_data: { name: order.title },
      },
    },
  ],
  payment_intent_data: { metadata: { payment_id: order.reference } },
  saved_payment_method_options: { payment_method_save: 'enabled' },
});

/** The checkout itself says nothing of what happened after the payment. */
async function wholeFacts(ask: Ask, checkout: Stripe.Checkout.Session): Promise<PaymentFacts> {
  const facts = factsOfCheckout(checkout as Parameters<typeof factsOfCheckout>[0]);
  const payment = typeof checkout.payment_intent === 'object' ? checkout.payment_intent : null;
  // A bank that does not send its money leaves the checkout complete and unpaid for ever.
  const isOver = payment?.status === 'canceled' || payment?.status === 'requires_payment_method';
  if (facts.status === 'open' && checkout.status === 'complete' && isOver) return { ...facts, status: 'failed' };
  return payment ? withLaterNews(ask, payment, facts) : facts;
}

/** What of a payment went back, and what of it is disputed. */
async function withLaterNews(ask: Ask, payment: Stripe.PaymentIntent, facts: PaymentFacts): Promise<PaymentFacts> {
  const charge = payment.latest_charge;
  if (typeof charge !== 'object' || charge === null) return facts;
  const whole = { ...facts, refundedMinor: BigInt(charge.amount_refunded) };
  const { paymentId } = facts;
  if (!charge.disputed || paymentId === undefined) return whole;
  const found = await ask(({ disputes }) => disputes.list({ payment_intent: paymentId, limit: 1 }));
  const dispute = 'refused' in found ? undefined : found.data[0];
  return { ...whole, ...(dispute && { dispute: disputeOf(BigInt(dispute.amount), dispute.status) }) };
}

function readEvent(
  stripe: Stripe,
  secret: string | undefined,
  { body, signature, now }: { readonly body: Buffer; readonly signature: string | undefined; readonly now: Date },
): ProviderEvent | Refused {
  if (!secret) return { refused: 'no secret for webhooks is configured' };
  const timestamp = signature === undefined ? undefined : signedAt(signature);
  if (signature === undefined || timestamp === undefined) return { refused: 'it carries no signature' };
  // Its library refuses what is too old, and takes what comes from the future.
  if (!isTimely(timestamp, now)) return { refused: 'it was signed too long ago, or is from the future' };
  try {
    const nowSeconds = Math.floor(now.getTime() / 1_000);
    stripe.webhooks.constructEvent(body, signature, secret, toleranceSeconds, undefined, nowSeconds);
  } catch (error) {
    return { refused: error instanceof SyntaxError ? 'it is not JSON' : 'the signature is wrong' };
  }
  return parseEvent(body) ?? { refused: 'it cannot be read as an event' };
}

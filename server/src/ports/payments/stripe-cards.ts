import type { Stripe } from 'stripe';
import type { Clock } from '../../kernel/clock.ts';
import { Outage } from '../../kernel/fault.ts';
import { findAmountObjection, findTimeObjection } from './amounts.ts';
import { factsOfPayment } from './events.ts';
import type { ChargeOrder, PaymentFacts, Payments, SavedMethod } from './port.ts';
import type { Answered, Ask } from './stripe.ts';

type Cards = Pick<Payments, 'openSetup' | 'methods' | 'setDefaultMethod' | 'removeMethod' | 'charge' | 'findCharge'>;
const mostCards = 100;
const isAnswered = (answer: object): answer is Answered => 'refused' in answer;
const seconds = (at: Date): number => Math.floor(at.getTime() / 1_000);

/** Saved cards at Stripe, and charges of them while nobody is present. */
export function makeStripeCards(
  ask: Ask,
  parts: {
    readonly clock: Clock;
    readonly laterNews: (payment: Stripe.PaymentIntent, facts: PaymentFacts) => Promise<PaymentFacts>;
  },
): Cards {
  const methods = (customerId: string) => listMethods(ask, customerId);
  /** Only a card of this customer is touched, whatever id a request names. */
  const has = async (customerId: string, methodId: string) =>
    (await methods(customerId)).some(({ id }) => id === methodId);
  const absent = { refused: 'the customer has no such card' };
  return {
    methods,
    async openSetup({ reference, customerId, expiresAt, backUrl }) {
      const objection = findTimeObjection({ expiresAt }, parts.clock.now());
      if (objection) return { refused: objection };
      const made = await ask(({ checkout }) =>
        checkout.sessions.create(
          {
            ...{ mode: 'setup', customer: customerId, client_reference_id: reference, payment_method_types: ['card'] },
            ...{ success_url: backUrl, cancel_url: backUrl, expires_at: seconds(expiresAt) },
          },
          { idempotencyKey: `setup-${reference}` },
        ),
      );
      if (isAnswered(made)) return { refused: made.refused };
      if (!made.url) throw new Outage(`Stripe opened the setup ${made.id} without a page`);
      return { url: made.url };
    },
    async setDefaultMethod(customerId, methodId) {
      if (!(await has(customerId, methodId))) return absent;
      const set = await ask(({ customers }) =>
        customers.update(customerId, { invoice_settings: { default_payment_method: methodId } }),
      );
      return isAnswered(set) ? { refused: set.refused } : undefined;
    },
    async removeMethod(customerId, methodId) {
      if (!(await has(customerId, methodId))) return absent;
      const gone = await ask(({ paymentMethods }) => paymentMethods.detach(methodId));
      return isAnswered(gone) ? { refused: gone.refused } : undefined;
    },
    charge: (order) => charge(ask, order),
    async findCharge(paymentId) {
      const found = await ask(({ paymentIntents }) =>
        paymentIntents.retrieve(paymentId, { expand: ['latest_charge'] }),
      );
      if (!isAnswered(found)) {
        return parts.laterNews(found, factsOfPayment(found as unknown as Parameters<typeof factsOfPayment>[0]));
      }
      if (found.code === 'resource_missing') return undefined;
      throw new Outage(`Stripe: ${found.refused}`);
    },
  };
}

async function listMethods(ask: Ask, customerId: string): Promise<SavedMethod[]> {
  const [customer, found] = await Promise.all([
    ask(({ customers }) => customers.retrieve(customerId)),
    ask(({ customers }) => customers.listPaymentMethods(customerId, { type: 'card', limit: mostCards })),
  ]);
  if (isAnswered(customer)) throw new Outage(`Stripe: ${customer.refused}`);
  if (isAnswered(found)) throw new Outage(`Stripe: ${found.refused}`);
  const chosen = 'invoice_settings' in customer ? customer.invoice_settings?.default_payment_method : undefined;
  const chosenId = typeof chosen === 'string' ? chosen : chosen?.id;
  const cards = found.data.filter(({ card }) => card !== undefined);
  const defaultId = (cards.find(({ id }) => id === chosenId) ?? cards[0])?.id;
  return cards.map(({ id, card }) => ({
    id,
    brand: card?.brand ?? 'unknown',
    last4: card?.last4 ?? '0000',
    expires: `${card?.exp_year ?? 0}-${`${card?.exp_month ?? 0}`.padStart(2, '0')}`,
    isDefault: id === defaultId,
  }));
}

/**
 * A bank that wants its customer present refuses with `authentication_required`. The payment is then cancelled, so that it cannot be
 * made beside the checkout that replaces it.
 */
async function charge(ask: Ask, order: ChargeOrder): ReturnType<Payments['charge']> {
  const objection = findAmountObjection(order);
  if (objection) return { refused: objection };
  const made = await ask(({ paymentIntents }) =>
    paymentIntents.create(
      {
        ...{ amount: Number(order.amountMinor), currency: order.currency.toLowerCase(), confirm: true },
        ...{ customer: order.customerId, payment_method: order.methodId, off_session: true },
        ...{ description: order.title, metadata: { payment_id: order.reference } },
      },
      { idempotencyKey: `charge-${order.reference}` },
    ),
  );
  const cancel = async (paymentId: string | undefined) => {
    if (paymentId !== undefined) await ask(({ paymentIntents }) => paymentIntents.cancel(paymentId));
  };
  if (isAnswered(made)) {
    await cancel(made.paymentId);
    return made.code === 'authentication_required' ? { unconfirmed: made.refused } : { refused: made.refused };
  }
  if (made.status === 'succeeded') return { paymentId: made.id, status: 'paid' };
  if (made.status === 'processing') return { paymentId: made.id, status: 'pending' };
  await cancel(made.id);
  return made.status === 'requires_action'
    ? { unconfirmed: 'the bank asks the payer to confirm' }
    : { refused: `Stripe says that the payment ${made.id} is ${made.status}` };
}

import type { PaymentOptions, PaymentSession } from '@gpuaas/sdk';
import { type Amount, spellMoney } from '../money.ts';

/** The state of a payment in one or two words, and how it is to be seen. */
export const paymentStates: Readonly<
  Record<PaymentSession['state'], { readonly text: string; readonly tone: 'ok' | 'warn' | 'bad' | 'calm' | 'busy' }>
> = {
  open: { text: 'Not paid yet', tone: 'busy' },
  paid: { text: 'Paid', tone: 'ok' },
  expired: { text: 'Expired', tone: 'calm' },
  disputed: { text: 'Disputed', tone: 'warn' },
  charged_back: { text: 'Charged back', tone: 'bad' },
  failed_reconcile: { text: 'Being checked', tone: 'warn' },
};

const less = (amount: Amount, tax: Amount): Amount => ({
  ...amount,
  amount_minor: (BigInt(amount.amount_minor) - BigInt(tax.amount_minor)).toString(),
});
/** What is to be paid for this much in the balance: tax comes on top, rounded half up as the server does. */
export const withTax = (minor: string, rateBasisPoints: number): string => {
  const tax = (BigInt(minor) * BigInt(rateBasisPoints) + 5_000n) / 10_000n;
  return (BigInt(minor) + tax).toString();
};

/** What became of the payment that a browser has just come back from. */
export function tellPayment({ state, amount, credited, tax }: PaymentSession): string {
  switch (state) {
    case 'open':
      return `The payment of ${spellMoney(amount)} is not confirmed yet. This page updates by itself.`;
    case 'paid':
      return `${spellMoney(less(credited, tax))} was added to the balance.`;
    case 'expired':
      return `The payment of ${spellMoney(amount)} was not made in time. Nothing was charged.`;
    case 'disputed':
      return `The payment of ${spellMoney(amount)} is disputed. Its amount is held until the bank decides.`;
    case 'charged_back':
      return `The bank took back the payment of ${spellMoney(amount)}.`;
    case 'failed_reconcile':
      return `The payment of ${spellMoney(amount)} is being checked with the payment provider.`;
  }
}

/** Why an amount cannot be paid at once; undefined when it can. */
export function objectToAmount(minor: string | undefined, { minimum, maximum }: PaymentOptions): string | undefined {
  if (minor === undefined) return `Enter an amount, for example ${spellMoney(minimum)}.`;
  if (BigInt(minor) < BigInt(minimum.amount_minor)) return `The smallest payment is ${spellMoney(minimum)}.`;
  if (BigInt(minor) > BigInt(maximum.amount_minor)) return `The largest payment is ${spellMoney(maximum)}.`;
  return undefined;
}

/** Who takes the payment, where that matters to the payer. */
export const tellProvider = ({ provider }: PaymentOptions): string =>
  provider === 'simulated'
    ? 'This installation uses a simulated payment provider: no money moves.'
    : 'You pay on the page of Stripe. Your card number does not reach this installation.';

/** What of a payment can still go back. */
export const leftOf = ({
  credited,
  refunded,
  disputed,
}: Pick<PaymentSession, 'credited' | 'refunded' | 'disputed'>): Amount => ({
  amount_minor: String(BigInt(credited.amount_minor) - BigInt(refunded.amount_minor) - BigInt(disputed.amount_minor)),
  currency: credited.currency,
});

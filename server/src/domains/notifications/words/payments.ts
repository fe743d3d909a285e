import { amountOf, billing, ofOrganization } from './money.ts';
import { type Facts, type Message, momentOf, textOf, type Words } from './words.ts';

const outcomes: Readonly<Record<string, readonly [string, string]>> = {
  open: ['is disputed by its payer', 'The amount is kept out of the balance until the bank has decided.'],
  won: ['is no longer disputed', 'The amount is in the balance again.'],
  lost: ['was taken back by the bank', 'The amount has left the balance.'],
};
const reasons: Readonly<Record<string, string>> = {
  declined: 'The card was declined.',
  not_confirmed: 'Nobody confirmed the payment in time.',
  no_card: 'There is no saved card to charge.',
  monthly_limit: 'It would be more than the limit that you have set for a month.',
  deposit_limit: 'It would be more than a new payer may add in a day or month.',
};
/** The payment that the page opens with. */
const paymentPage = (facts: Facts): Message['link'] => ({
  path: `/billing?payment=${textOf(facts, 'payment_id')}`,
  label: 'Confirm the payment',
});

export const paymentWords = {
  payment_failed: (facts) => ({
    tone: 'bad',
    title: `A payment of ${amountOf(facts, 'amount_minor')} for ${ofOrganization(facts)} did not arrive`,
    text: ['The bank sent no money. Nothing was added to the balance. Pay again, or with another card.'],
    link: billing,
  }),
  payment_refunded: (facts) => ({
    tone: 'notice',
    title:
      textOf(facts, 'to') === 'credit'
        ? `${amountOf(facts, 'amount_minor')} was given back to the balance of ${ofOrganization(facts)}`
        : `${amountOf(facts, 'amount_minor')} goes back to the payer of ${ofOrganization(facts)}`,
    text: [`The balance is now ${amountOf(facts, 'balance_minor')}.`],
    link: billing,
  }),
  payment_disputed: (facts) => {
    const [what, then] = outcomes[textOf(facts, 'outcome')] ?? ['is disputed', ''];
    return {
      tone: textOf(facts, 'outcome') === 'won' ? 'good' : 'bad',
      title: `A payment of ${amountOf(facts, 'amount_minor')} for ${ofOrganization(facts)} ${what}`,
      text: [then, `The balance is now ${amountOf(facts, 'balance_minor')}.`],
      link: billing,
    };
  },
  auto_top_up_failed: (facts) => ({
    tone: 'bad',
    title:
      facts.payload['turned_off'] === true
        ? `The automatic top-up of ${ofOrganization(facts)} was turned off`
        : `The automatic top-up of ${ofOrganization(facts)} was not made`,
    text: [
      `${amountOf(facts, 'amount_minor')}: ${reasons[textOf(facts, 'reason')] ?? 'The payment failed.'}`,
      typeof facts.payload['next_attempt_at'] === 'string'
        ? `It is tried again at ${momentOf(facts, 'next_attempt_at')}.`
        : 'It failed too often. Look at the saved card, then turn it on again.',
    ],
    link: billing,
  }),
  auto_top_up_unconfirmed: (facts) => ({
    tone: 'notice',
    title: `Your bank asks you to confirm ${amountOf(facts, 'amount_minor')} for ${ofOrganization(facts)}`,
    text: [
      `The automatic top-up waits until ${momentOf(facts, 'expires_at')}. Confirm it on the page of the payment provider.`,
    ],
    link: paymentPage(facts),
  }),
} as const satisfies Partial<Words>;

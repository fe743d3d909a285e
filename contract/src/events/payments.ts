import { Type } from 'typebox';
import { defineEvent } from '../event.ts';
import { Timestamp, Uuid } from '../ids.ts';
import { Sentence, Word } from '../words.ts';

const strict = { additionalProperties: false } as const;
const Minor = Type.String({ pattern: '^-?(?:0|[1-9][0-9]{0,17})$' });

export const balanceCredited = defineEvent({
  type: 'payments.balance_credited',
  version: '1.0',
  summary: 'A payment was added to the balance of an organization; once for each payment.',
  producer: 'api',
  alsoFrom: ['billing-worker'],
  consumers: ['notification-relay', 'webhook-worker'],
  payload: Type.Object(
    {
      organization_id: Uuid,
      payment_id: Uuid,
      amount_minor: Minor,
      balance_minor: Minor,
      currency: Word,
      provider: Word,
    },
    strict,
  ),
});

export const reconcileFailed = defineEvent({
  type: 'payments.reconcile_failed',
  version: '1.0',
  summary: 'A payment does not fit what its provider says, and a person has to look at it.',
  producer: 'billing-worker',
  consumers: ['notification-relay'],
  payload: Type.Object({ organization_id: Uuid, payment_id: Uuid, provider: Word, problem: Sentence }, strict),
});

const orNull = <const S extends Parameters<typeof Type.Union>[0][number]>(schema: S) =>
  Type.Union([schema, Type.Null()]);
/** One payment and the amount that this is about, with tax. */
const about = { organization_id: Uuid, payment_id: Uuid, amount_minor: Minor, currency: Word, provider: Word };

export const paymentFailed = defineEvent({
  type: 'payments.failed',
  version: '1.0',
  summary: "A payment that was made on the provider's page did not arrive: the bank sent no money.",
  producer: 'api',
  alsoFrom: ['billing-worker'],
  consumers: ['notification-relay', 'webhook-worker'],
  payload: Type.Object(about, strict),
});

export const paymentRefunded = defineEvent({
  type: 'payments.refunded',
  version: '1.0',
  summary: 'A payment, or a part of it, goes back: to the payer, or to the balance as credit.',
  producer: 'api',
  alsoFrom: ['billing-worker'],
  consumers: ['notification-relay', 'webhook-worker'],
  payload: Type.Object({ ...about, to: Type.Enum(['payer', 'credit']), balance_minor: Minor }, strict),
});

export const paymentDisputed = defineEvent({
  type: 'payments.disputed',
  version: '1.0',
  summary:
    'The payer disputes a payment, or the bank has decided a dispute. An open one keeps the amount out of the balance.',
  producer: 'api',
  alsoFrom: ['billing-worker'],
  consumers: ['notification-relay', 'webhook-worker'],
  payload: Type.Object({ ...about, outcome: Type.Enum(['open', 'won', 'lost']), balance_minor: Minor }, strict),
});

export const autoTopUpFailed = defineEvent({
  type: 'payments.auto_top_up_failed',
  version: '1.0',
  summary: 'An automatic top-up was not made. It is tried again at the given time, or was turned off.',
  producer: 'billing-worker',
  consumers: ['notification-relay', 'webhook-worker'],
  payload: Type.Object(
    {
      organization_id: Uuid,
      amount_minor: Minor,
      currency: Word,
      reason: Type.Enum(['declined', 'not_confirmed', 'no_card', 'monthly_limit', 'deposit_limit']),
      failures: Type.Integer({ minimum: 0 }),
      turned_off: Type.Boolean(),
      next_attempt_at: orNull(Timestamp),
    },
    strict,
  ),
});

export const autoTopUpActionRequired = defineEvent({
  type: 'payments.auto_top_up_action_required',
  version: '1.0',
  summary: "The bank asks a person to confirm an automatic top-up, on the provider's page.",
  producer: 'billing-worker',
  consumers: ['notification-relay', 'webhook-worker'],
  payload: Type.Object({ ...about, expires_at: Timestamp }, strict),
});

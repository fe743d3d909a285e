import { Type } from 'typebox';
import { defineEvent } from '../event.ts';
import { Uuid } from '../ids.ts';
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

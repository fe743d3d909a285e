import { Type } from 'typebox';
import { defineEvent } from '../event.ts';
import { Timestamp, Uuid } from '../ids.ts';
import { Word } from '../words.ts';

const strict = { additionalProperties: false } as const;
const Minor = Type.String({ pattern: '^-?(?:0|[1-9][0-9]{0,17})$' });
const Kind = Type.Enum(['invoice', 'credit_note', 'receipt', 'statement']);

export const documentIssued = defineEvent({
  type: 'billing.document_issued',
  version: '1.0',
  summary: 'An invoice, a credit note, a receipt or a statement was issued to an organization.',
  producer: 'billing-worker',
  alsoFrom: ['api'],
  consumers: { none: 'The console lists the document; letters about money come with notifications.' },
  payload: Type.Object(
    {
      organization_id: Uuid,
      document_id: Uuid,
      kind: Kind,
      number: Word,
      gross_minor: Minor,
      currency: Word,
    },
    strict,
  ),
});

export const invoicePastDue = defineEvent({
  type: 'billing.invoice_past_due',
  version: '1.0',
  summary: 'An invoice was not paid in time, or is reminded of; `reminder` is 0 when it became past due.',
  producer: 'billing-worker',
  consumers: { none: 'The console shows it; letters about money come with notifications.' },
  payload: Type.Object(
    {
      organization_id: Uuid,
      invoice_id: Uuid,
      document_id: Uuid,
      number: Word,
      gross_minor: Minor,
      currency: Word,
      due_at: Timestamp,
      reminder: Type.Integer({ minimum: 0 }),
    },
    strict,
  ),
});

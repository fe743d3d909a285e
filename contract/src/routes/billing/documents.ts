import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../../ids.ts';
import { Money } from '../../money.ts';
import { page, pageQuery } from '../../pages.ts';
import { defineRoute } from '../../route.ts';

const strict = { additionalProperties: false } as const;
const orNull = <S extends Parameters<typeof Type.Union>[0][number]>(schema: S) => Type.Union([schema, Type.Null()]);
const Day = Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' });
const Minor = Type.String({ pattern: '^-?(?:0|[1-9][0-9]{0,17})$' });

export const DocumentKind = Type.Enum(['invoice', 'credit_note', 'receipt', 'statement']);
/** Documents other than invoices are final when they are made. */
export const DocumentState = Type.Enum(['final', 'paid', 'past_due', 'void']);

const Party = Type.Object(
  {
    legal_name: Type.String(),
    address_lines: Type.Array(Type.String()),
    postal_code: orNull(Type.String()),
    city: orNull(Type.String()),
    country: orNull(Type.String()),
    tax_id: orNull(Type.String()),
  },
  strict,
);
const Line = Type.Object(
  {
    text: Type.String(),
    day: orNull(Day),
    /** Units times milliseconds, where the line is about time. */
    quantity_ms: orNull(Type.String({ pattern: '^(?:0|[1-9][0-9]*)$' })),
    unit: orNull(Type.String()),
    /** The price of one unit in 10^-6 minor units. */
    rate_micro: orNull(Minor),
    amount_minor: Minor,
  },
  strict,
);
/** What a document says. Its canonical JSON (RFC 8785) is what `sha256` covers and what a check compares. */
export const DocumentContent = Type.Object(
  {
    version: Type.Literal(1),
    kind: DocumentKind,
    number: Type.String(),
    issued_on: Day,
    currency: Type.String(),
    /** The first day, and the day after the last one. */
    period: orNull(Type.Object({ from: Day, to: Day }, strict)),
    due_on: orNull(Day),
    /** The number of the document that this one takes back. */
    refers_to: orNull(Type.String()),
    seller: orNull(Party),
    customer: Party,
    lines: Type.Array(Line),
    tax: orNull(
      Type.Object(
        {
          treatment: Type.Enum(['standard', 'reverse_charge', 'outside_scope', 'not_registered']),
          country: orNull(Type.String()),
          /** In hundredths of a per cent. */
          rate_basis_points: Type.Integer({ minimum: 0 }),
          net_minor: Minor,
          tax_minor: Minor,
          gross_minor: Minor,
          note: orNull(Type.String()),
        },
        strict,
      ),
    ),
    balance: orNull(Type.Object({ opening_minor: Minor, closing_minor: Minor }, strict)),
  },
  { $id: 'DocumentContent', ...strict },
);
export type DocumentContent = Static<typeof DocumentContent>;

export const BillingDocument = Type.Object(
  {
    id: Uuid,
    organization_id: Uuid,
    kind: DocumentKind,
    number: Type.String(),
    state: DocumentState,
    issued_at: Timestamp,
    period: orNull(Type.Object({ from: Day, to: Day }, strict)),
    due_at: orNull(Type.String({ format: 'date-time', description: 'Until when an invoice is to be paid.' })),
    /** What it asks for, confirms or takes back, with tax; for a statement the balance at its end. */
    total: Money,
    tax: Money,
  },
  { $id: 'BillingDocument', ...strict },
);
export type BillingDocument = Static<typeof BillingDocument>;

export const DocumentWithContent = Type.Object(
  {
    document: BillingDocument,
    content: DocumentContent,
    sha256: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'Over the canonical JSON of the content.' }),
  },
  { $id: 'DocumentWithContent', ...strict },
);
export type DocumentWithContent = Static<typeof DocumentWithContent>;

export const DocumentFile = Type.Object(
  {
    file_name: Type.String(),
    media_type: Type.Literal('application/pdf'),
    sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    content_base64: Type.String(),
  },
  { $id: 'DocumentFile', ...strict },
);
export type DocumentFile = Static<typeof DocumentFile>;

export const DocumentCheck = Type.Object(
  {
    ok: Type.Boolean(),
    problem: orNull(Type.String()),
    checked_at: Timestamp,
  },
  { $id: 'DocumentCheck', ...strict },
);
export type DocumentCheck = Static<typeof DocumentCheck>;

const shared = {
  tag: 'Billing',
  auth: { kind: 'user', scope: 'billing:read', serviceAccounts: 'allowed' },
  tenancy: { kind: 'path', param: 'organization_id' },
  lane: 'financial',
} as const;
const one = Type.Object({ organization_id: Uuid, document_id: Uuid }, strict);

export const billingDocumentList = defineRoute({
  id: 'billing_document_list',
  method: 'GET',
  path: '/api/v1/organizations/{organization_id}/billing/documents',
  summary: 'Invoices, credit notes, receipts and statements, newest first',
  ...shared,
  errors: ['organization_not_found', 'cursor_invalid'],
  params: Type.Object({ organization_id: Uuid }, strict),
  query: Type.Object({ ...pageQuery, kind: Type.Optional(DocumentKind) }, strict),
  response: page(BillingDocument),
});

export const billingDocumentGet = defineRoute({
  id: 'billing_document_get',
  method: 'GET',
  path: '/api/v1/organizations/{organization_id}/billing/documents/{document_id}',
  summary: 'One document and everything that it says',
  ...shared,
  errors: ['organization_not_found', 'document_not_found'],
  params: one,
  response: DocumentWithContent,
});

export const billingDocumentFileGet = defineRoute({
  id: 'billing_document_file_get',
  method: 'GET',
  path: '/api/v1/organizations/{organization_id}/billing/documents/{document_id}/file',
  summary: 'One document as PDF, the same bytes each time',
  ...shared,
  errors: ['organization_not_found', 'document_not_found'],
  params: one,
  response: DocumentFile,
});

export const billingDocumentVerify = defineRoute({
  id: 'billing_document_verify',
  method: 'GET',
  path: '/api/v1/organizations/{organization_id}/billing/documents/{document_id}/verify',
  summary: 'Recompute a document from the ledger and compare it byte for byte',
  ...shared,
  errors: ['organization_not_found', 'document_not_found'],
  params: one,
  response: DocumentCheck,
});

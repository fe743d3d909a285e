import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../../ids.ts';
import { Money } from '../../money.ts';
import { page, pageQuery } from '../../pages.ts';
import { defineRoute } from '../../route.ts';
import { recentSignIn } from '../../step-up.ts';

const strict = { additionalProperties: false } as const;
const orNull = <S extends Parameters<typeof Type.Union>[0][number]>(schema: S) => Type.Union([schema, Type.Null()]);
const Day = Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' });
const Reason = Type.String({
  minLength: 1,
  maxLength: 500,
  pattern: '^[^@]*[^@\\s][^@]*$',
  description: 'Why, or the reference of a bank transfer. It is kept for ever: leave mail addresses and names out.',
});

/** What finance may do with an invoice in its state. */
export const InvoiceAction = Type.Enum(['finalise', 'pay', 'void']);
export const InvoiceState = Type.Enum(['draft', 'final', 'past_due', 'paid', 'void']);
export const Invoice = Type.Object(
  {
    id: Uuid,
    organization_id: Uuid,
    organization_name: Type.String(),
    state: InvoiceState,
    version: Type.Integer(),
    number: orNull(Type.String({ description: 'Null while it is a draft.' })),
    document_id: orNull(Uuid),
    period: Type.Object({ from: Day, to: Day }, strict),
    net: Money,
    tax: Money,
    gross: Money,
    finalise_at: Timestamp,
    due_at: orNull(Timestamp),
    reminders: Type.Integer(),
    /** Why it is void, or how it was paid. */
    note: orNull(Type.String()),
    actions: Type.Array(InvoiceAction, { description: 'What finance may do with it now.' }),
  },
  { $id: 'Invoice', ...strict },
);
export type Invoice = Static<typeof Invoice>;

const shared = {
  tag: 'AdminBilling',
  auth: { kind: 'admin', scope: 'billing:admin' },
  tenancy: { kind: 'none', why: 'Finance manages the invoices of all tenants.' },
} as const;
const change = {
  ...shared,
  lane: 'financial',
  stepUp: recentSignIn,
  idempotency: 'key',
  errors: ['invoice_not_found', 'illegal_transition'],
  params: Type.Object({ invoice_id: Uuid }, strict),
  response: Invoice,
} as const;

export const adminInvoiceList = defineRoute({
  id: 'admin_invoice_list',
  method: 'GET',
  path: '/api/v1/admin/billing/invoices',
  summary: 'Every invoice, newest first',
  ...shared,
  lane: 'admin',
  errors: ['cursor_invalid'],
  query: Type.Object(
    { ...pageQuery, state: Type.Optional(InvoiceState), organization_id: Type.Optional(Uuid) },
    strict,
  ),
  response: page(Invoice),
});

export const adminInvoiceFinalise = defineRoute({
  id: 'admin_invoice_finalise',
  method: 'POST',
  path: '/api/v1/admin/billing/invoices/{invoice_id}/finalise',
  summary: 'Make a draft final: it gets its number and its date',
  ...change,
  audit: 'invoice.finalise',
});

export const adminInvoicePay = defineRoute({
  id: 'admin_invoice_pay',
  method: 'POST',
  path: '/api/v1/admin/billing/invoices/{invoice_id}/pay',
  summary: 'Note that an invoice was paid in full outside of the payment provider',
  ...change,
  audit: 'invoice.pay',
  body: Type.Object({ reason: Reason }, strict),
});

export const adminInvoiceVoid = defineRoute({
  id: 'admin_invoice_void',
  method: 'POST',
  path: '/api/v1/admin/billing/invoices/{invoice_id}/void',
  summary: 'Take an invoice back: a final one gets a credit note, a draft is discarded',
  ...change,
  audit: 'invoice.void',
  body: Type.Object({ reason: Reason }, strict),
});

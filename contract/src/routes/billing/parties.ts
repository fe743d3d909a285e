import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../../ids.ts';
import { defineRoute } from '../../route.ts';
import { recentSignIn } from '../../step-up.ts';

const strict = { additionalProperties: false } as const;
const orNull = <S extends Parameters<typeof Type.Union>[0][number]>(schema: S) => Type.Union([schema, Type.Null()]);

const Text = (maxLength: number, description: string) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]*\\S[^\\x00-\\x1f\\x7f-\\x9f]*$',
    description,
  });
const Country = Type.String({ pattern: '^[A-Z]{2}$', description: 'Two letters of ISO 3166: DE.' });
const TaxId = Type.String({
  pattern: '^[A-Z0-9][A-Z0-9.\\- ]{1,38}[A-Z0-9]$',
  description: 'The VAT number or the like, as the tax office wrote it: DE123456788.',
});

/** Who stands on a document: the fields that a tax office asks for. */
const party = {
  legal_name: Text(200, 'The name in the register of companies, or of the person.'),
  address_lines: Type.Array(Text(200, 'Street and number, or what comes instead.'), { minItems: 1, maxItems: 3 }),
  postal_code: orNull(Text(20, 'The postal code, where there is one.')),
  city: Text(100, 'The city.'),
  country: Country,
  tax_id: orNull(TaxId),
};
const customer = {
  ...party,
  customer_type: Type.Enum(['business', 'consumer']),
  invoice_email: orNull(
    Type.String({
      format: 'email',
      maxLength: 254,
      description: 'Where documents go; owners get them when it is null.',
    }),
  ),
};

/** What may be left out when they are set. */
const given = { postal_code: Type.Optional(party.postal_code), tax_id: Type.Optional(party.tax_id) };

export const BillingDetails = Type.Object(
  {
    organization_id: Uuid,
    /** Null until an owner or administrator has entered them: documents then have the name of the organization and nothing else. */
    details: orNull(Type.Object({ ...customer, updated_at: Timestamp }, strict)),
  },
  { $id: 'BillingDetails', ...strict },
);
export type BillingDetails = Static<typeof BillingDetails>;

export const Seller = Type.Object(
  {
    /** Null until finance has entered them: then no tax is charged. */
    seller: orNull(Type.Object({ ...party, updated_at: Timestamp }, strict)),
  },
  { $id: 'Seller', ...strict },
);
export type Seller = Static<typeof Seller>;

const path = { tenancy: { kind: 'path', param: 'organization_id' }, lane: 'financial', tag: 'Billing' } as const;
const params = Type.Object({ organization_id: Uuid }, strict);

export const billingDetailsGet = defineRoute({
  id: 'billing_details_get',
  method: 'GET',
  path: '/api/v1/organizations/{organization_id}/billing/details',
  summary: 'Name, address and tax id that stand on invoices',
  ...path,
  auth: { kind: 'user', scope: 'billing:read', serviceAccounts: 'allowed' },
  errors: ['organization_not_found'],
  params,
  response: BillingDetails,
});

export const billingDetailsSet = defineRoute({
  id: 'billing_details_set',
  method: 'PUT',
  path: '/api/v1/organizations/{organization_id}/billing/details',
  summary: 'Set the details that the next documents get; those that exist keep theirs',
  ...path,
  auth: { kind: 'user', scope: 'billing:pay', serviceAccounts: 'refused' },
  idempotency: 'key',
  audit: 'billing.set_details',
  errors: ['organization_not_found', 'tax_id_invalid'],
  params,
  body: Type.Object({ ...customer, ...given, invoice_email: Type.Optional(customer.invoice_email) }, strict),
  response: BillingDetails,
});

const admin = {
  tag: 'AdminBilling',
  auth: { kind: 'admin', scope: 'billing:admin' },
  tenancy: { kind: 'none', why: 'The seller is the company that runs this installation.' },
} as const;

export const adminSellerGet = defineRoute({
  id: 'admin_seller_get',
  method: 'GET',
  path: '/api/v1/admin/billing/seller',
  summary: 'The company that stands on invoices as seller',
  ...admin,
  lane: 'admin',
  errors: [],
  response: Seller,
});

export const adminSellerSet = defineRoute({
  id: 'admin_seller_set',
  method: 'PUT',
  path: '/api/v1/admin/billing/seller',
  summary: 'Set the seller. From then on tax is charged by its country',
  ...admin,
  lane: 'financial',
  stepUp: recentSignIn,
  idempotency: 'key',
  audit: 'billing.set_seller',
  errors: ['tax_id_invalid'],
  body: Type.Object({ ...party, ...given }, strict),
  response: Seller,
});

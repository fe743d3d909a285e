import { type Static, Type } from 'typebox';
import { Slug, Timestamp, Uuid } from '../../ids.ts';
import { Money } from '../../money.ts';
import { page, pageQuery } from '../../pages.ts';
import { defineRoute } from '../../route.ts';
import { recentSignIn } from '../../step-up.ts';
import { SkuSlug } from '../catalog.ts';

const strict = { additionalProperties: false } as const;
const orNull = <const S extends Parameters<typeof Type.Union>[0][number]>(schema: S) =>
  Type.Union([schema, Type.Null()]);

/** A unit price that was negotiated with one organization. Launches from its first moment to its end pay it. */
export const NegotiatedPrice = Type.Object(
  {
    id: Uuid,
    organization_id: Uuid,
    sku: SkuSlug,
    region: orNull(Type.String({ ...Slug, description: 'The only region in which it is valid; null for all.' })),
    unit_price: Money,
    /** What everybody else pays now; null where the SKU has no price. */
    list_price: orNull(Money),
    effective_from: Timestamp,
    effective_to: orNull(Timestamp),
    state: Type.Enum(['past', 'current', 'future']),
    reason: Type.String(),
    created_at: Timestamp,
  },
  { $id: 'NegotiatedPrice', ...strict },
);
export type NegotiatedPrice = Static<typeof NegotiatedPrice>;

const admin = {
  tag: 'AdminBilling',
  auth: { kind: 'admin', scope: 'billing:admin' },
  tenancy: { kind: 'none', why: 'Finance manages the prices of all tenants.' },
} as const;
const write = { ...admin, lane: 'financial', stepUp: recentSignIn, idempotency: 'key' } as const;
const ofOrganization = Type.Object({ organization_id: Uuid }, strict);

export const priceBookList = defineRoute({
  id: 'price_book_list',
  method: 'GET',
  path: '/api/v1/organizations/{organization_id}/billing/prices',
  summary: 'Prices that were negotiated with an organization, newest first',
  tag: 'Billing',
  tenancy: { kind: 'path', param: 'organization_id' },
  lane: 'financial',
  auth: { kind: 'user', scope: 'billing:read', serviceAccounts: 'allowed' },
  errors: ['organization_not_found', 'cursor_invalid'],
  params: ofOrganization,
  query: Type.Object(pageQuery, strict),
  response: page(NegotiatedPrice),
});

export const adminPriceBookList = defineRoute({
  id: 'admin_price_book_list',
  method: 'GET',
  path: '/api/v1/admin/billing/accounts/{organization_id}/prices',
  summary: 'The negotiated prices of an organization, newest first',
  ...admin,
  lane: 'admin',
  errors: ['organization_not_found', 'cursor_invalid'],
  params: ofOrganization,
  query: Type.Object(pageQuery, strict),
  response: page(NegotiatedPrice),
});

export const adminPriceBookAdd = defineRoute({
  id: 'admin_price_book_add',
  method: 'POST',
  path: '/api/v1/admin/billing/accounts/{organization_id}/prices',
  summary: 'Set a negotiated price from a time on; what runs keeps its price',
  ...write,
  audit: 'price_book.add',
  errors: [
    'organization_not_found',
    'sku_not_found',
    'region_not_found',
    'currency_mismatch',
    'price_already_exists',
    'price_backdated',
    'period_invalid',
  ],
  status: 201,
  params: ofOrganization,
  body: Type.Object(
    {
      sku: SkuSlug,
      region: Type.Optional(Slug),
      unit_price_minor: Type.String({
        pattern: '^(?:0|[1-9][0-9]{0,14})$',
        description: 'In whole minor units for each unit of the SKU and hour.',
      }),
      currency: Type.String({ pattern: '^[A-Z]{3}$', description: 'The currency of the account, as a safeguard.' }),
      effective_from: Type.Optional(
        Type.String({ format: 'date-time', description: 'From when launches pay it; now if left out.' }),
      ),
      effective_to: Type.Optional(
        Type.String({ format: 'date-time', description: 'Until when; for ever if left out.' }),
      ),
      reason: Type.String({
        minLength: 1,
        maxLength: 500,
        pattern: '^[^@]*[^@\\s][^@]*$',
        description: 'The contract or offer. The customer reads it: leave mail addresses and names out.',
      }),
    },
    strict,
  ),
  response: NegotiatedPrice,
});

export const adminPriceBookEnd = defineRoute({
  id: 'admin_price_book_end',
  method: 'POST',
  path: '/api/v1/admin/billing/accounts/{organization_id}/prices/{price_id}/end',
  summary: 'End a negotiated price: later launches pay the list price',
  ...write,
  audit: 'price_book.end',
  errors: ['organization_not_found', 'price_not_found', 'price_backdated', 'period_invalid'],
  params: Type.Object({ organization_id: Uuid, price_id: Uuid }, strict),
  body: Type.Object(
    {
      effective_to: Type.Optional(
        Type.String({ format: 'date-time', description: 'From when it ends; now if left out.' }),
      ),
    },
    strict,
  ),
  response: NegotiatedPrice,
});

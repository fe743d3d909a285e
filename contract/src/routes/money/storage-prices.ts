import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../../ids.ts';
import { page, pageQuery } from '../../pages.ts';
import { defineRoute } from '../../route.ts';
import { recentSignIn } from '../../step-up.ts';

const strict = { additionalProperties: false } as const;
const Currency = Type.String({ pattern: '^[A-Z]{3}$' });
export const RateMicro = Type.String({
  pattern: '^(?:0|[1-9][0-9]{0,14})$',
  description: 'Minor units for one GiB and hour, times a million: 3000 in USD is 0.00003 USD.',
});

/** What a GiB costs for an hour, from a moment on. */
export const StoragePrice = Type.Object(
  {
    id: Uuid,
    currency: Currency,
    rate_micro: RateMicro,
    effective_from: Timestamp,
    state: Type.Enum(['past', 'current', 'future']),
    created_at: Timestamp,
  },
  { $id: 'StoragePrice', ...strict },
);
export type StoragePrice = Static<typeof StoragePrice>;

const admin = {
  tag: 'AdminBilling',
  path: '/api/v1/admin/billing/storage-prices',
  auth: { kind: 'admin', scope: 'billing:admin' },
  tenancy: { kind: 'none', why: 'The price of storage is the same for all tenants of a currency.' },
} as const;

export const adminStoragePriceList = defineRoute({
  id: 'admin_storage_price_list',
  method: 'GET',
  summary: 'All prices of stored files, past and future; newest entry first',
  ...admin,
  lane: 'admin',
  errors: ['cursor_invalid'],
  query: Type.Object(pageQuery, strict),
  response: page(StoragePrice),
});

export const adminStoragePriceAdd = defineRoute({
  id: 'admin_storage_price_add',
  method: 'POST',
  summary: 'Set the price of stored files from a time on; earlier prices stay',
  ...admin,
  lane: 'financial',
  stepUp: recentSignIn,
  idempotency: 'key',
  audit: 'storage_price.create',
  errors: ['price_already_exists', 'price_backdated'],
  status: 201,
  body: Type.Object(
    {
      currency: Currency,
      rate_micro: RateMicro,
      effective_from: Type.Optional(
        Type.String({ format: 'date-time', description: 'From when it is charged; now if left out.' }),
      ),
      reason: Type.String({ minLength: 1, maxLength: 500, pattern: '\\S' }),
    },
    strict,
  ),
  response: StoragePrice,
});

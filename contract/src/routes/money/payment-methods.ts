import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../../ids.ts';
import { Money } from '../../money.ts';
import { defineRoute } from '../../route.ts';
import { recentSignIn } from '../../step-up.ts';

const strict = { additionalProperties: false } as const;
const orNull = <const S extends Parameters<typeof Type.Union>[0][number]>(schema: S) =>
  Type.Union([schema, Type.Null()]);

/** What a payment provider calls a saved card. */
export const PaymentMethodId = Type.String({ pattern: '^pm_[A-Za-z0-9_]{1,200}$' });

/** A card that the payment provider keeps for an organization. We keep no number of it. */
export const PaymentMethod = Type.Object(
  {
    id: PaymentMethodId,
    brand: Type.String({ description: 'visa, mastercard and the like, in the words of the provider.' }),
    last4: Type.String({ pattern: '^[0-9]{4}$' }),
    expires: Type.String({ pattern: '^[0-9]{4}-[0-9]{2}$', description: 'The last month in which it can be charged.' }),
    is_default: Type.Boolean({ description: 'Whether automatic top-ups charge this card.' }),
  },
  { $id: 'PaymentMethod', ...strict },
);
export type PaymentMethod = Static<typeof PaymentMethod>;

export const PaymentMethodSetup = Type.Object(
  {
    url: Type.String({ description: "The provider's page on which the card is entered." }),
    expires_at: Timestamp,
  },
  { $id: 'PaymentMethodSetup', ...strict },
);
export type PaymentMethodSetup = Static<typeof PaymentMethodSetup>;

/** A payment with the default card that is made when the balance falls to a threshold. */
export const AutoTopUp = Type.Object(
  {
    enabled: Type.Boolean(),
    threshold: Money,
    /** What each payment adds to the balance. Tax is added to it. */
    amount: Money,
    /** What automatic payments add in one month (UTC) at most. */
    monthly_limit: Money,
    /** What they added in this month, and what is on its way. */
    added_this_month: Money,
    /** Failed attempts since the last one that succeeded. */
    failures: Type.Integer({ minimum: 0 }),
    last_failure: orNull(Type.String({ description: 'Why the last attempt failed.' })),
    turned_off: orNull(
      Type.Enum(['failures'], { description: 'Why it was turned off, where a person has not done that.' }),
    ),
    next_attempt_at: orNull(
      Type.String({ format: 'date-time', description: 'After a failure: not before this time.' }),
    ),
    pending: orNull(
      Type.Object(
        {
          payment_id: Uuid,
          url: orNull(
            Type.String({ description: 'Where a person has to confirm the payment, where the bank asks for that.' }),
          ),
        },
        { ...strict, description: 'A payment that is being made.' },
      ),
    ),
    version: Type.Integer(),
  },
  { $id: 'AutoTopUp', ...strict },
);
export type AutoTopUp = Static<typeof AutoTopUp>;

const Minor = (description: string) => Type.String({ pattern: '^[1-9][0-9]{0,14}$', description });
const shared = {
  tag: 'Payments',
  tenancy: { kind: 'path', param: 'organization_id' },
  lane: 'financial',
} as const;
const read = { kind: 'user', scope: 'billing:read', serviceAccounts: 'allowed' } as const;
const pays = { kind: 'user', scope: 'billing:pay', serviceAccounts: 'refused' } as const;
const ofOrganization = Type.Object({ organization_id: Uuid }, strict);
const ofOne = Type.Object({ organization_id: Uuid, method_id: PaymentMethodId }, strict);

export const paymentMethodList = defineRoute({
  id: 'payment_method_list',
  method: 'GET',
  path: '/api/v1/organizations/{organization_id}/payments/methods',
  summary: 'The cards that the payment provider keeps for an organization, newest first',
  ...shared,
  auth: read,
  errors: ['organization_not_found'],
  params: ofOrganization,
  response: Type.Object({ data: Type.Array(PaymentMethod, { description: 'At most 100.' }) }, strict),
});

export const paymentMethodAdd = defineRoute({
  id: 'payment_method_add',
  method: 'POST',
  path: '/api/v1/organizations/{organization_id}/payments/methods',
  summary: 'Begin to save a card: the answer says where to enter it',
  ...shared,
  auth: pays,
  stepUp: recentSignIn,
  idempotency: 'key',
  audit: 'payment_method.begin',
  errors: ['organization_not_found', 'payments_disabled', 'payment_refused'],
  status: 201,
  params: ofOrganization,
  body: Type.Object(
    {
      return_to: Type.Optional(
        Type.String({
          maxLength: 200,
          pattern: '^/[a-z0-9/-]*$',
          description: 'The page of the console where the browser goes afterwards (default: /billing).',
        }),
      ),
    },
    strict,
  ),
  response: PaymentMethodSetup,
});

export const paymentMethodSetDefault = defineRoute({
  id: 'payment_method_set_default',
  method: 'POST',
  path: '/api/v1/organizations/{organization_id}/payments/methods/{method_id}/default',
  summary: 'Make a saved card the one that automatic top-ups charge',
  ...shared,
  auth: pays,
  stepUp: recentSignIn,
  idempotency: 'key',
  audit: 'payment_method.set_default',
  errors: ['organization_not_found', 'payment_method_not_found'],
  params: ofOne,
  response: PaymentMethod,
});

export const paymentMethodRemove = defineRoute({
  id: 'payment_method_remove',
  method: 'DELETE',
  path: '/api/v1/organizations/{organization_id}/payments/methods/{method_id}',
  summary: 'Remove a saved card from the payment provider; one that is gone stays gone',
  ...shared,
  auth: pays,
  stepUp: recentSignIn,
  idempotency: 'key',
  audit: 'payment_method.remove',
  errors: ['organization_not_found', 'payment_method_in_use'],
  params: ofOne,
  response: Type.Object({ id: PaymentMethodId }, strict),
});

export const autoTopUpGet = defineRoute({
  id: 'auto_top_up_get',
  method: 'GET',
  path: '/api/v1/organizations/{organization_id}/payments/auto-top-up',
  summary: 'Whether the balance is topped up automatically, and how that went',
  ...shared,
  auth: read,
  errors: ['organization_not_found'],
  params: ofOrganization,
  response: AutoTopUp,
});

export const autoTopUpSet = defineRoute({
  id: 'auto_top_up_set',
  method: 'PUT',
  path: '/api/v1/organizations/{organization_id}/payments/auto-top-up',
  summary: 'Turn automatic top-ups on or off, and set when, how much and how much in a month',
  ...shared,
  auth: pays,
  stepUp: recentSignIn,
  idempotency: 'key',
  audit: 'auto_top_up.set',
  errors: [
    'organization_not_found',
    'currency_mismatch',
    'amount_out_of_bounds',
    'payments_disabled',
    'payment_method_not_found',
    'version_conflict',
  ],
  params: ofOrganization,
  body: Type.Object(
    {
      enabled: Type.Boolean(),
      currency: Type.Optional(
        Type.String({ pattern: '^[A-Z]{3}$', description: 'The currency of the account; needed with an amount.' }),
      ),
      threshold_minor: Type.Optional(
        Type.String({
          pattern: '^(?:0|[1-9][0-9]{0,14})$',
          description:
            'In whole minor units: a balance at or below it is topped up. At most five times the amount. Left out: as it was.',
        }),
      ),
      amount_minor: Type.Optional(
        Minor('What each payment adds to the balance, in whole minor units. Tax is added to it. Left out: as it was.'),
      ),
      monthly_limit_minor: Type.Optional(
        Minor('What automatic payments add in one month (UTC) at most, in whole minor units. Left out: as it was.'),
      ),
      version: Type.Optional(Type.Integer({ minimum: 0, description: 'The version that you saw.' })),
    },
    strict,
  ),
  response: AutoTopUp,
});

import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../ids.ts';
import { Money } from '../money.ts';
import { page, pageQuery } from '../pages.ts';
import { defineRoute } from '../route.ts';

const strict = { additionalProperties: false } as const;
const orNull = <S extends Parameters<typeof Type.Union>[0][number]>(schema: S) => Type.Union([schema, Type.Null()]);

export const PaymentProvider = Type.Enum(['simulated', 'stripe', 'disabled']);
export const PaymentState = Type.Enum(['open', 'paid', 'expired', 'disputed', 'charged_back', 'failed_reconcile']);

/** A way to pay once. What was paid is in the balance as soon as the provider has said so. */
export const PaymentSession = Type.Object(
  {
    id: Uuid,
    organization_id: Uuid,
    state: PaymentState,
    provider: PaymentProvider,
    /** What is to be paid, with tax. */
    amount: Money,
    /** What of it is tax, which does not go to the balance. */
    tax: Money,
    /** What was paid, with tax. */
    credited: Money,
    /** What of it went back. */
    refunded: Money,
    /** What of it a dispute keeps out of the balance. */
    disputed: Money,
    url: orNull(Type.String({ description: "The provider's page, for as long as it can be paid there." })),
    requested_by: Type.String(),
    /** Whether it was made automatically, with a saved card. */
    automatic: Type.Boolean(),
    created_at: Timestamp,
    expires_at: Timestamp,
    settled_at: orNull(Type.String({ format: 'date-time', description: 'When it was added to the balance.' })),
  },
  { $id: 'PaymentSession', ...strict },
);
export type PaymentSession = Static<typeof PaymentSession>;

/** What an organization may add to its balance in a day or a month, in UTC. */
const depositLimit = {
  limit: Type.Object(Money.properties, strict),
  left: Type.Object(Money.properties, strict),
  resets_at: Timestamp,
};
export const DepositLimits = Type.Object(
  {
    day: Type.Object(depositLimit, strict),
    month: Type.Object(depositLimit, strict),
    /** Payments that count as settled: old enough, and not refunded or disputed. What they added raises the limits. */
    settled_payments: Type.Integer({ minimum: 0 }),
    grows_at: orNull(
      Type.String({ format: 'date-time', description: 'When the next payment settles; null when none is on its way.' }),
    ),
  },
  { $id: 'DepositLimits', ...strict },
);
export type DepositLimits = Static<typeof DepositLimits>;

export const PaymentOptions = Type.Object(
  {
    provider: PaymentProvider,
    /** The smallest and the largest amount of one payment, in the currency of the account. */
    minimum: Money,
    maximum: Money,
    limits: DepositLimits,
    /** Tax that is paid in addition to what goes to the balance, in hundredths of a per cent; 0 where there is none. */
    tax_rate_basis_points: Type.Integer({ minimum: 0 }),
    refund_window_days: Type.Integer({ description: 'How long a payment can go back to where it came from.' }),
  },
  { $id: 'PaymentOptions', ...strict },
);
export type PaymentOptions = Static<typeof PaymentOptions>;

const shared = {
  tag: 'Payments',
  tenancy: { kind: 'path', param: 'organization_id' },
  lane: 'financial',
} as const;
const read = { kind: 'user', scope: 'billing:read', serviceAccounts: 'allowed' } as const;
const organizationParams = Type.Object({ organization_id: Uuid }, strict);

export const paymentOptionsGet = defineRoute({
  id: 'payment_options_get',
  method: 'GET',
  path: '/api/v1/organizations/{organization_id}/payments/options',
  summary: 'How an organization can pay, and how much at once',
  ...shared,
  auth: read,
  errors: ['organization_not_found'],
  params: organizationParams,
  response: PaymentOptions,
});

export const paymentSessionCreate = defineRoute({
  id: 'payment_session_create',
  method: 'POST',
  path: '/api/v1/organizations/{organization_id}/payments/sessions',
  summary: 'Begin a payment: the answer says where to pay',
  ...shared,
  auth: { kind: 'user', scope: 'billing:pay', serviceAccounts: 'refused' },
  idempotency: 'key',
  audit: 'payment.begin',
  errors: [
    'organization_not_found',
    'currency_mismatch',
    'amount_out_of_bounds',
    'payments_disabled',
    'payment_refused',
    'too_many_payments',
    'deposit_limit_exceeded',
  ],
  status: 201,
  params: organizationParams,
  body: Type.Object(
    {
      amount_minor: Type.String({
        pattern: '^[1-9][0-9]{0,14}$',
        description:
          'What is to be added to the balance, in whole minor units: 2500 is 25 dollars. Tax is added to it.',
      }),
      currency: Type.String({ pattern: '^[A-Z]{3}$', description: 'The currency of the account, as a safeguard.' }),
    },
    strict,
  ),
  response: PaymentSession,
});

export const paymentSessionList = defineRoute({
  id: 'payment_session_list',
  method: 'GET',
  path: '/api/v1/organizations/{organization_id}/payments/sessions',
  summary: 'The payments of an organization, newest first',
  ...shared,
  auth: read,
  errors: ['organization_not_found', 'cursor_invalid'],
  params: organizationParams,
  query: Type.Object(pageQuery, strict),
  response: page(PaymentSession),
});

export const paymentSessionGet = defineRoute({
  id: 'payment_session_get',
  method: 'GET',
  path: '/api/v1/organizations/{organization_id}/payments/sessions/{session_id}',
  summary: 'One payment',
  ...shared,
  auth: read,
  errors: ['organization_not_found', 'payment_not_found'],
  params: Type.Object({ organization_id: Uuid, session_id: Uuid }, strict),
  response: PaymentSession,
});

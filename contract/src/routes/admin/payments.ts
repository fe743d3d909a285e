import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../../ids.ts';
import { Money } from '../../money.ts';
import { page, pageQuery } from '../../pages.ts';
import { defineRoute } from '../../route.ts';
import { recentSignIn } from '../../step-up.ts';
import { PaymentSession, PaymentState } from '../payments.ts';

const strict = { additionalProperties: false } as const;
const orNull = <S extends Parameters<typeof Type.Union>[0][number]>(schema: S) => Type.Union([schema, Type.Null()]);

/** A payment as finance sees it. */
export const AdminPayment = Type.Object(
  {
    ...PaymentSession.properties,
    organization_name: Type.String(),
    /** What the provider calls the checkout and the payment. */
    provider_checkout_id: Type.String(),
    provider_payment_id: orNull(Type.String()),
    /** Why it does not fit what the provider says, where it does not. */
    problem: orNull(Type.String()),
    checked_at: orNull(
      Type.String({ format: 'date-time', description: 'When it was last compared with the provider.' }),
    ),
  },
  { $id: 'AdminPayment', ...strict },
);
export type AdminPayment = Static<typeof AdminPayment>;

export const PaymentRefund = Type.Object(
  {
    id: Uuid,
    session_id: Uuid,
    organization_id: Uuid,
    state: Type.Enum(['requested', 'sent', 'refused', 'credited']),
    /** Where it goes: back to the payer, or to the balance as credit. */
    to: Type.Enum(['payer', 'credit']),
    amount: Money,
    /** The balance afterwards. */
    balance: Money,
    reason: Type.String(),
    created_at: Timestamp,
  },
  { $id: 'PaymentRefund', ...strict },
);
export type PaymentRefund = Static<typeof PaymentRefund>;

const shared = {
  tag: 'AdminPayments',
  auth: { kind: 'admin', scope: 'billing:admin' },
  tenancy: { kind: 'none', why: 'Finance looks after the payments of all tenants.' },
} as const;

export const adminPaymentList = defineRoute({
  id: 'admin_payment_list',
  method: 'GET',
  path: '/api/v1/admin/payments/sessions',
  summary: 'Every payment, newest first',
  ...shared,
  lane: 'admin',
  errors: ['cursor_invalid'],
  query: Type.Object(
    {
      ...pageQuery,
      state: Type.Optional(PaymentState),
      organization_id: Type.Optional(Uuid),
    },
    strict,
  ),
  response: page(AdminPayment),
});

export const adminPaymentRefund = defineRoute({
  id: 'admin_payment_refund',
  method: 'POST',
  path: '/api/v1/admin/payments/sessions/{payment_id}/refunds',
  summary: 'Refund a payment, or a part of it: to the payer, or as credit once the time for that is over',
  ...shared,
  lane: 'financial',
  stepUp: recentSignIn,
  idempotency: 'key',
  audit: 'payment.refund',
  errors: [
    'payment_not_found',
    'currency_mismatch',
    'refund_window_exceeded',
    'refund_exceeds_payment',
    'insufficient_balance',
    'second_person_required',
    'illegal_transition',
  ],
  status: 202,
  params: Type.Object({ payment_id: Uuid }, strict),
  body: Type.Object(
    {
      amount_minor: Type.String({
        pattern: '^[1-9][0-9]{0,14}$',
        description: 'Whole minor units: 2500 is 25 dollars.',
      }),
      currency: Type.String({ pattern: '^[A-Z]{3}$', description: 'The currency of the payment, as a safeguard.' }),
      to: Type.Optional(
        Type.Enum(['payer', 'credit'], {
          description:
            'payer sends back what was not spent; credit adds what was spent to the balance again. Left out: payer within allocation.refund_window_days, credit afterwards.',
        }),
      ),
      reason: Type.String({
        minLength: 1,
        maxLength: 500,
        pattern: '^[^@]*[^@\\s][^@]*$',
        description: 'Why. The ledger is kept for ever and read by the customer: leave mail addresses and names out.',
      }),
    },
    strict,
  ),
  response: PaymentRefund,
});

import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../../ids.ts';
import { Money } from '../../money.ts';
import { page, pageQuery } from '../../pages.ts';
import { defineRoute } from '../../route.ts';
import { recentSignIn } from '../../step-up.ts';
import { LedgerLine } from '../billing.ts';
import { Credit } from '../money/credit.ts';

const strict = { additionalProperties: false } as const;

const AccountState = Type.Enum(['healthy', 'low_balance', 'auto_release_pending', 'depleted']);

/** An account as finance sees it: the money, not the allocations. */
export const BillingAccount = Type.Object(
  {
    organization_id: Uuid,
    name: Type.String(),
    slug: Type.String(),
    owner_name: Type.Union([Type.String(), Type.Null()], {
      description: 'The name of the person whose personal organization it is; null for every other organization.',
    }),
    balance: Money,
    held: Money,
    /** Usage of the last thirty days (UTC), today included. */
    charged_30_days: Money,
    entries: Type.Integer(),
    /** How far the balance reaches, where the organization pays ahead; healthy where it does not. */
    state: AccountState,
    releases_at: Type.Union([Timestamp, Type.Null()], {
      description: 'When everything of the organization is released, if nothing is paid until then.',
    }),
  },
  { $id: 'BillingAccount', ...strict },
);
export type BillingAccount = Static<typeof BillingAccount>;

export const CreditGrant = Type.Object(
  {
    id: Uuid,
    organization_id: Uuid,
    amount: Money,
    /** The balance after the grant. */
    balance: Money,
    reason: Type.String(),
    /** What is left of it then leaves the balance. */
    expires_at: Timestamp,
    created_at: Timestamp,
  },
  { $id: 'CreditGrant', ...strict },
);
export type CreditGrant = Static<typeof CreditGrant>;

const shared = {
  tag: 'AdminBilling',
  auth: { kind: 'admin', scope: 'billing:admin' },
  tenancy: { kind: 'none', why: 'Finance manages the accounts of all tenants.' },
} as const;

export const adminBillingAccountList = defineRoute({
  id: 'admin_billing_account_list',
  method: 'GET',
  path: '/api/v1/admin/billing/accounts',
  summary: 'Every account with its balance, newest organization first',
  ...shared,
  lane: 'admin',
  errors: ['cursor_invalid'],
  query: Type.Object(
    {
      ...pageQuery,
      q: Type.Optional(
        Type.String({ minLength: 1, maxLength: 200, description: 'Part of the name or slug, or a whole id.' }),
      ),
      state: Type.Optional(AccountState),
    },
    strict,
  ),
  response: page(BillingAccount),
});

export const adminBillingGrantCreate = defineRoute({
  id: 'admin_billing_grant_create',
  method: 'POST',
  path: '/api/v1/admin/billing/accounts/{organization_id}/grants',
  summary: 'Give an organization credit',
  ...shared,
  lane: 'financial',
  stepUp: recentSignIn,
  idempotency: 'key',
  audit: 'billing.grant',
  errors: [
    'organization_not_found',
    'currency_mismatch',
    'amount_out_of_bounds',
    'period_invalid',
    'second_person_required',
  ],
  status: 201,
  params: Type.Object({ organization_id: Uuid }, strict),
  body: Type.Object(
    {
      amount_minor: Type.String({
        pattern: '^[1-9][0-9]{0,14}$',
        description: 'Whole minor units: 2500 is 25 dollars.',
      }),
      currency: Type.String({
        pattern: '^[A-Z]{3}$',
        description: 'The currency of the account, to prevent mistakes.',
      }),
      reason: Type.String({
        minLength: 1,
        maxLength: 500,
        pattern: '^[^@]*[^@\\s][^@]*$',
        description: 'Why. The ledger is kept for ever and read by the customer: leave mail addresses and names out.',
      }),
      expires_at: Type.Optional(
        Type.Unsafe<string>({
          ...Timestamp,
          description: 'When the credit expires; after billing.credit_days if it is left out.',
        }),
      ),
    },
    strict,
  ),
  response: CreditGrant,
});

export const adminBillingCreditList = defineRoute({
  id: 'admin_billing_credit_list',
  method: 'GET',
  path: '/api/v1/admin/billing/accounts/{organization_id}/grants',
  summary: 'The credit that an organization was given, newest first',
  ...shared,
  lane: 'admin',
  errors: ['organization_not_found', 'cursor_invalid'],
  params: Type.Object({ organization_id: Uuid }, strict),
  query: Type.Object(pageQuery, strict),
  response: page(Credit),
});

export const adminBillingLedgerList = defineRoute({
  id: 'admin_billing_ledger_list',
  method: 'GET',
  path: '/api/v1/admin/billing/accounts/{organization_id}/ledger',
  summary: 'The ledger of an organization, newest day first',
  ...shared,
  lane: 'admin',
  errors: ['organization_not_found', 'cursor_invalid'],
  params: Type.Object({ organization_id: Uuid }, strict),
  query: Type.Object(pageQuery, strict),
  response: page(LedgerLine),
});

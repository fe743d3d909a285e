import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../../ids.ts';
import { Money } from '../../money.ts';
import { page, pageQuery } from '../../pages.ts';
import { defineRoute } from '../../route.ts';

const strict = { additionalProperties: false } as const;

/** Credit that an organization was given. Usage burns it before money that was paid, and what expires soonest first. */
export const Credit = Type.Object(
  {
    id: Uuid,
    organization_id: Uuid,
    amount: Money,
    left: Money,
    /** What had not been used when it expired. */
    expired: Money,
    expires_at: Type.Union([Timestamp, Type.Null()], { description: 'Null: never.' }),
    state: Type.Enum(['open', 'used', 'expired']),
    reason: Type.String(),
    created_at: Timestamp,
  },
  { $id: 'Credit', ...strict },
);
export type Credit = Static<typeof Credit>;

export const billingCreditList = defineRoute({
  id: 'billing_credit_list',
  method: 'GET',
  path: '/api/v1/organizations/{organization_id}/billing/credit',
  summary: 'Credit that the organization was given, what is left of it, and when it expires',
  tag: 'Billing',
  tenancy: { kind: 'path', param: 'organization_id' },
  lane: 'financial',
  auth: { kind: 'user', scope: 'billing:read', serviceAccounts: 'allowed' },
  errors: ['organization_not_found', 'cursor_invalid'],
  params: Type.Object({ organization_id: Uuid }, strict),
  query: Type.Object(pageQuery, strict),
  response: page(Credit),
});

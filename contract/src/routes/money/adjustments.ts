import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../../ids.ts';
import { Money } from '../../money.ts';
import { page, pageQuery } from '../../pages.ts';
import { defineRoute } from '../../route.ts';
import { recentSignIn } from '../../step-up.ts';

const strict = { additionalProperties: false } as const;
const orNull = <const S extends Parameters<typeof Type.Union>[0][number]>(schema: S) =>
  Type.Union([schema, Type.Null()]);

export const AdjustmentState = Type.Enum(['waiting', 'entered', 'rejected', 'expired']);

/** A correction of a line of the ledger, or credit, that finance asked for. A large one waits for a second person. */
export const Adjustment = Type.Object(
  {
    id: Uuid,
    organization_id: Uuid,
    organization_name: Type.String(),
    state: AdjustmentState,
    /** What it does to the balance. */
    amount: Money,
    corrects: orNull(
      Type.String({ ...Uuid, description: 'The line of the ledger that it corrects; none for credit.' }),
    ),
    credit_expires_at: orNull(
      Type.String({
        format: 'date-time',
        description: 'When credit ends; null for corrections, and where billing.credit_days counts from the approval.',
      }),
    ),
    reason: Type.String(),
    needs_approval: Type.Boolean({
      description:
        'Whether it is above billing.adjustment_limit_minor or billing.adjustment_total_limit_minor, or as credit above billing.grant_limit_minor or billing.grant_total_limit_minor.',
    }),
    requested_by: Type.String(),
    decided_by: orNull(Type.String()),
    decision_note: orNull(Type.String()),
    entry_id: orNull(Type.String({ ...Uuid, description: 'The line of the ledger that it made.' })),
    created_at: Timestamp,
    expires_at: Timestamp,
    decided_at: orNull(Timestamp),
  },
  { $id: 'Adjustment', ...strict },
);
export type Adjustment = Static<typeof Adjustment>;

const shared = {
  tag: 'AdminBilling',
  auth: { kind: 'admin', scope: 'billing:admin' },
  tenancy: { kind: 'none', why: 'Finance corrects the accounts of all tenants.' },
} as const;
const write = { ...shared, lane: 'financial', stepUp: recentSignIn, idempotency: 'key' } as const;
const Reason = Type.String({
  minLength: 1,
  maxLength: 500,
  pattern: '^[^@]*[^@\\s][^@]*$',
  description: 'Why. The ledger is kept for ever and read by the customer: leave mail addresses and names out.',
});
const ofOne = Type.Object({ adjustment_id: Uuid }, strict);

export const adminAdjustmentCreate = defineRoute({
  id: 'admin_adjustment_create',
  method: 'POST',
  path: '/api/v1/admin/billing/accounts/{organization_id}/adjustments',
  summary: 'Correct a line of the ledger, or give credit; above a limit, ask a second person to approve it',
  ...write,
  audit: 'adjustment.create',
  errors: ['organization_not_found', 'ledger_line_not_found', 'currency_mismatch', 'adjustment_invalid'],
  status: 201,
  params: Type.Object({ organization_id: Uuid }, strict),
  body: Type.Object(
    {
      amount_minor: Type.String({
        pattern: '^-?[1-9][0-9]{0,14}$',
        description: 'What it does to the balance, in whole minor units: 2500 gives back 25 dollars, -2500 takes them.',
      }),
      currency: Type.String({ pattern: '^[A-Z]{3}$', description: 'The currency of the account, as a safeguard.' }),
      corrects: Type.Optional(
        Type.String({
          ...Uuid,
          description: 'The line of the ledger that was wrong: usage or a grant. Leave it out to give credit.',
        }),
      ),
      credit_expires_at: Type.Optional(
        Type.String({
          format: 'date-time',
          description: 'When credit ends; billing.credit_days after it is given if left out. Only without corrects.',
        }),
      ),
      reason: Reason,
    },
    strict,
  ),
  response: Adjustment,
});

export const adminAdjustmentList = defineRoute({
  id: 'admin_adjustment_list',
  method: 'GET',
  path: '/api/v1/admin/billing/adjustments',
  summary: 'Corrections that finance asked for, newest first',
  ...shared,
  lane: 'admin',
  errors: ['cursor_invalid'],
  query: Type.Object(
    { ...pageQuery, state: Type.Optional(AdjustmentState), organization_id: Type.Optional(Uuid) },
    strict,
  ),
  response: page(Adjustment),
});

const decisionErrors = ['adjustment_not_found', 'adjustment_decided'] as const;

export const adminAdjustmentApprove = defineRoute({
  id: 'admin_adjustment_approve',
  method: 'POST',
  path: '/api/v1/admin/billing/adjustments/{adjustment_id}/approve',
  summary: 'Approve a correction that another person asked for, and enter it',
  ...write,
  audit: 'adjustment.approve',
  errors: [...decisionErrors, 'second_person_required', 'adjustment_invalid'],
  params: ofOne,
  body: Type.Object({ note: Type.Optional(Reason) }, strict),
  response: Adjustment,
});

export const adminAdjustmentReject = defineRoute({
  id: 'admin_adjustment_reject',
  method: 'POST',
  path: '/api/v1/admin/billing/adjustments/{adjustment_id}/reject',
  summary: 'Reject a correction, or withdraw one that you asked for',
  ...write,
  audit: 'adjustment.reject',
  errors: [...decisionErrors],
  params: ofOne,
  body: Type.Object({ note: Reason }, strict),
  response: Adjustment,
});

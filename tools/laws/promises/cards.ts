import type { Promised } from './list.ts';

const uuid = '01900000-0000-7000-8000-00000000c1c1';
const when = '2026-01-01T00:00:00Z';
const aGrant = { line_kind: 'grant', amount_minor: -100, line_id: uuid, corrects: uuid };
const automatic = { crossing: 1, attempt: 1, method_id: 'pm_1' };

/** Promises of automatic payments, of corrections with a second person, and of negotiated prices. */
export const cardUniqueness: Readonly<Record<string, Promised>> = {
  payment_sessions_attempt: {
    promise: 'an attempt to pay for a crossing of the threshold is made once, by one worker',
    table: 'payment_sessions',
    row: { organization_id: uuid, ...automatic },
  },
  payment_sessions_under_way: {
    promise: 'an account has one automatic payment under way',
    table: 'payment_sessions',
    row: { organization_id: uuid, ...automatic, state: 'open' },
    aside: 'payment_sessions_attempt',
  },
  billing_adjustments_entry_id_key: {
    promise: 'an entry of the ledger is the effect of one adjustment',
    table: 'billing_adjustments',
    row: { ...aGrant, entry_id: uuid, decision: 'entered', decided_by: 'y', decided_at: when, expires_at: when },
  },
  negotiated_prices_organization_id_sku_region_effective_from_key: {
    promise: 'one negotiated price begins at one moment',
    table: 'negotiated_prices',
    row: { organization_id: uuid, sku: 'x', region: null, effective_from: when },
  },
};

export const cardChecks: Readonly<Record<string, Promised>> = {
  auto_top_ups_check: {
    promise: 'the limit of a month allows one automatic payment',
    table: 'auto_top_ups',
    row: { amount_minor: 100, monthly_limit_minor: 99 },
  },
  auto_top_ups_off: {
    promise: 'what was turned off is off',
    table: 'auto_top_ups',
    row: { enabled: true, turned_off: 'failures', amount_minor: 100, monthly_limit_minor: 100 },
  },
  billing_adjustments_decided: {
    promise: 'a decision says who decided, and when',
    table: 'billing_adjustments',
    row: { ...aGrant, decision: 'rejected', decided_by: null, decided_at: when },
  },
  billing_adjustments_credit_end: {
    promise: 'only credit has an end',
    table: 'billing_adjustments',
    row: { ...aGrant, credit_expires_at: when },
  },
  billing_adjustments_direction: {
    promise: 'usage is given back and never charged by hand; a grant is taken back',
    table: 'billing_adjustments',
    row: { line_kind: 'usage', amount_minor: -100, line_id: uuid, corrects: uuid },
  },
  billing_adjustments_entered: {
    promise: 'an adjustment that was entered names its entry',
    table: 'billing_adjustments',
    row: { ...aGrant, decision: 'entered', decided_by: 'y', decided_at: when, expires_at: when, entry_id: null },
  },
  billing_adjustments_in_time: {
    promise: 'an adjustment that expired is never entered',
    table: 'billing_adjustments',
    row: {
      ...aGrant,
      ...{ decision: 'entered', decided_by: 'y', decided_at: '2026-01-02T00:00:00Z', expires_at: when, entry_id: uuid },
    },
  },
  billing_adjustments_line: {
    promise: 'credit corrects no line, and everything else does',
    table: 'billing_adjustments',
    row: { line_kind: 'credit', amount_minor: 100, line_id: uuid, corrects: uuid },
  },
  billing_adjustments_two_people: {
    promise: 'a large adjustment is entered by another person than the one who asked for it',
    table: 'billing_adjustments',
    row: {
      ...aGrant,
      ...{ needs_approval: true, requested_by: 'y', decision: 'entered', decided_by: 'y', decided_at: when },
      ...{ expires_at: when, entry_id: uuid },
    },
  },
  credit_grants_left: {
    promise: 'no more is left of credit than was given and has not expired',
    table: 'credit_grants',
    row: { amount_minor: 10, left_minor: 8, expired_minor: 3 },
  },
  negotiated_prices_period: {
    promise: 'a negotiated price does not end before it begins',
    table: 'negotiated_prices',
    row: { effective_from: '2026-01-02T00:00:00Z', effective_to: when },
  },
  payment_refunds_credit: {
    promise: 'credit never goes to the provider',
    table: 'payment_refunds',
    row: { paid_to: 'credit', sent_at: when, provider_refund_id: 're_1' },
  },
  payment_sessions_automatic: {
    promise: 'an automatic payment knows its crossing, its attempt and its card',
    table: 'payment_sessions',
    row: { crossing: 1, attempt: 1, method_id: null },
  },
  payment_sessions_credited_back: {
    promise: 'no more of a payment becomes credit than was paid',
    table: 'payment_sessions',
    row: { credited_minor: 100, credit_entry_id: uuid, credited_back_minor: 101 },
  },
};

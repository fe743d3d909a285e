import type { AdminPayment, PaymentSession } from '@gpuaas/contract';
import { money } from '../billing/index.ts';
import type { AdminPaymentRow, PaymentRow } from './store.ts';

export const showPayment = (row: PaymentRow, now: Date): PaymentSession => ({
  id: row.id,
  organization_id: row.organization_id,
  state: row.state,
  provider: row.provider,
  amount: money(row.amount_minor, row.currency),
  tax: money(row.tax_minor, row.currency),
  credited: money(row.credited_minor, row.currency),
  refunded: money(row.refunded_minor, row.currency),
  disputed: money(row.disputed_minor, row.currency),
  url: row.state === 'open' && row.expires_at > now && row.url !== '' ? row.url : null,
  requested_by: row.requested_by,
  automatic: row.crossing !== null,
  created_at: row.created_at.toISOString(),
  expires_at: row.expires_at.toISOString(),
  settled_at: row.settled_at?.toISOString() ?? null,
});

/** Finance pays for nobody: the address of the page is the payer's. */
export const showForFinance = (row: AdminPaymentRow, now: Date): AdminPayment => ({
  ...showPayment(row, now),
  url: null,
  organization_name: row.organization_name,
  provider_checkout_id: row.checkout_id,
  provider_payment_id: row.payment_id,
  problem: row.problem,
  checked_at: row.checked_at?.toISOString() ?? null,
});

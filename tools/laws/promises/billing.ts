import { createHash } from 'node:crypto';
import type { Promised } from './list.ts';

const uuid = '01900000-0000-7000-8000-00000000c1c1';
const when = '2026-01-01T00:00:00Z';
const anHourLater = '2026-01-01T01:00:00Z';

/** What the schema promises about money: two rows that share these values are refused. */
export const billingUniqueness: Readonly<Record<string, Promised>> = {
  ledger_entries_pkey: {
    promise: 'an entry is in the ledger once',
    table: 'ledger_entries',
    row: { organization_id: uuid, currency: 'USD', id: uuid, at: when },
  },
  ledger_seals_pkey: {
    promise: 'a link of the chain of an account has one successor',
    table: 'ledger_seals',
    row: { organization_id: uuid, number: 7 },
  },
  allocation_holds_entry_id_key: {
    promise: 'an entry of the ledger is one hold',
    table: 'allocation_holds',
    row: { entry_id: uuid },
  },
  allocation_holds_pkey: {
    promise: 'an allocation has one hold',
    table: 'allocation_holds',
    row: { allocation_id: uuid },
  },
  quotes_used_by_key: {
    promise: 'an allocation was launched with one quote',
    table: 'quotes',
    row: { used_by: uuid, used_at: when, expires_at: anHourLater },
  },
  budgets_subject: {
    promise: 'an organization, a project, a person or a tag has one budget',
    table: 'budgets',
    row: { organization_id: uuid, scope: 'tag', subject: 'team=red', soft_minor: 1 },
  },
  payment_sessions_provider_checkout_id_key: {
    promise: 'a checkout of a provider is one payment',
    table: 'payment_sessions',
    row: { provider: 'stripe', checkout_id: 'cs_1' },
  },
  payment_sessions_provider_payment_id_key: {
    promise: 'what was paid once is in one payment',
    table: 'payment_sessions',
    row: { provider: 'stripe', payment_id: 'pi_1' },
  },
  payment_sessions_credit_entry: {
    promise: 'an entry of the ledger is the credit of one payment',
    table: 'payment_sessions',
    row: { credit_entry_id: uuid },
  },
  billing_documents_number_key: {
    promise: 'a number stands on one document',
    table: 'billing_documents',
    row: { number: 'ST-1' },
  },
  billing_documents_series_sequence_key: {
    promise: 'a number of a series is used once',
    table: 'billing_documents',
    row: { kind: 'credit_note', series: 'credit_note', sequence: 1 },
  },
  billing_documents_statement: {
    promise: 'a month of an organization has one statement',
    table: 'billing_documents',
    row: { organization_id: uuid, period_from: '2026-01-01', period_to: '2026-02-01' },
  },
  billing_documents_entry: {
    promise: 'a payment has one receipt, and what went back one credit note',
    table: 'billing_documents',
    row: { entry_id: uuid },
  },
  invoices_organization_id_period_from_key: {
    promise: 'a month of an organization has one invoice',
    table: 'invoices',
    row: { organization_id: uuid, period_from: '2026-01-01' },
  },
  invoices_document_id_key: {
    promise: 'a document is one invoice',
    table: 'invoices',
    row: { document_id: uuid, state: 'final', due_at: when },
  },
  invoices_credit_note_id_key: {
    promise: 'a credit note takes one invoice back',
    table: 'invoices',
    row: { credit_note_id: uuid, document_id: null, state: 'void', settled_at: when },
    aside: 'invoices_void',
  },
  invoices_entry_id_key: {
    promise: 'an entry of the ledger pays one invoice',
    table: 'invoices',
    row: { entry_id: uuid },
    aside: 'invoices_paid',
  },
  payment_events_pkey: {
    promise: 'an event of a provider is taken once',
    table: 'payment_events',
    row: { provider: 'stripe', event_id: 'evt_1' },
  },
  payment_refunds_entry_id_key: {
    promise: 'an entry of the ledger is one refund',
    table: 'payment_refunds',
    row: { entry_id: uuid },
  },
  payment_customers_pkey: {
    promise: 'an organization is one customer of a provider',
    table: 'payment_customers',
    row: { organization_id: uuid, provider: 'stripe' },
  },
  payment_customers_provider_customer_id_key: {
    promise: 'a customer of a provider is one organization',
    table: 'payment_customers',
    row: { provider: 'stripe', customer_id: 'cus_1' },
  },
  usage_evidence_pkey: {
    promise: 'a record of a lease is stored once',
    table: 'usage_evidence',
    row: { allocation_id: uuid, generation: 1, sequence: 1, from_at: when, to_at: anHourLater },
  },
  usage_meters_pkey: {
    promise: 'a meter of a resource counts once',
    table: 'usage_meters',
    row: { resource_id: uuid, meter: 'gpu_time' },
  },
  usage_windows_pkey: {
    promise: 'a window of a resource is charged once',
    table: 'usage_windows',
    row: { resource_id: uuid, meter: 'gpu_time', from_at: when, to_at: anHourLater },
  },
  storage_readings_pkey: {
    promise: 'a project has one reading for a moment',
    table: 'storage_readings',
    row: { project_id: uuid, at: when },
  },
  storage_prices_currency_effective_from_key: {
    promise: 'a currency has one price of storage for a moment',
    table: 'storage_prices',
    row: { currency: 'USD', effective_from: when },
  },
  app_use_readings_pkey: {
    promise: 'what an app has counted of a unit is charged once for a moment',
    table: 'app_use_readings',
    row: { app_instance_id: uuid, meter: 'app:tokens@1.0.0', at: when },
  },
  usage_days_pkey: {
    promise: 'a line of a ledger has a place of its own',
    table: 'usage_days',
    row: { organization_id: uuid, day: '2026-01-01', id: uuid },
  },
  usage_days_resource_id_meter_day_key: {
    promise: 'a resource has one line for each day and meter',
    table: 'usage_days',
    row: { resource_id: uuid, meter: 'gpu_time', day: '2026-01-01' },
  },
  usage_idle_days_pkey: {
    promise: 'idle time of a resource is added up once for each day',
    table: 'usage_idle_days',
    row: { resource_id: uuid, day: '2026-01-01' },
  },
};

/** A row that looks like this is refused. */
export const billingChecks: Readonly<Record<string, Promised>> = {
  ledger_entries_add_up: {
    promise: 'the postings of an entry sum to zero',
    table: 'ledger_entries',
    row: { amounts: [5, -4] },
  },
  ledger_entries_kind: {
    promise: 'an entry touches the accounts of its kind, in the direction of its kind',
    table: 'ledger_entries',
    row: { amounts: [-5, 5] },
  },
  ledger_entries_usage: {
    promise: 'usage, and nothing else, has a project and the digest of what it charges',
    table: 'ledger_entries',
    row: { project_id: uuid },
  },
  ledger_entries_reason: {
    promise: 'credit, corrections and refunds have a reason',
    table: 'ledger_entries',
    row: { reason: null },
  },
  ledger_entries_corrects: {
    promise: 'a correction, and nothing else, names what it sets right',
    table: 'ledger_entries',
    row: { corrects: uuid },
  },
  allocations_max_spend: {
    promise: 'a cap on spending has a deadline',
    table: 'allocations',
    row: { max_spend_minor: 100, max_duration_seconds: null },
  },
  allocation_holds_released: {
    promise: 'no more of a hold is given back than was held',
    table: 'allocation_holds',
    row: { amount_minor: 100, released_minor: 101 },
  },
  quotes_used: {
    promise: 'a used quote names its allocation',
    table: 'quotes',
    row: { used_by: null, used_at: when, expires_at: anHourLater },
  },
  quotes_in_time: {
    promise: 'a quote is used before it expires',
    table: 'quotes',
    row: { used_by: uuid, used_at: anHourLater, expires_at: when },
  },
  budgets_of_organization: {
    promise: 'a budget names its subject, and that of an organization names none',
    table: 'budgets',
    row: { scope: 'organization', subject: 'team=red', soft_minor: 1, hard_minor: null },
  },
  budgets_threshold: {
    promise: 'a budget has a threshold',
    table: 'budgets',
    row: { scope: 'tag', subject: 'team=red', soft_minor: null, hard_minor: null },
  },
  budgets_order: {
    promise: 'the soft threshold of a budget is not above the hard one',
    table: 'budgets',
    row: { scope: 'tag', subject: 'team=red', soft_minor: 2, hard_minor: 1 },
  },
  account_ladders_release: {
    promise: 'a release is asked for only while it is announced or the balance is spent',
    table: 'account_ladders',
    row: { state: 'healthy', release_requested_at: '2026-01-01T00:00:00Z' },
  },
  account_ladders_releases_at: {
    promise: 'a release has a time only while it is announced',
    table: 'account_ladders',
    row: { state: 'healthy', releases_at: '2026-01-01T00:00:00Z' },
  },
  account_ladders_stops_at: {
    promise: 'a stop has a time only while it is announced',
    table: 'account_ladders',
    row: { state: 'healthy', stops_at: '2026-01-01T00:00:00Z' },
  },
  account_ladders_stopped_at: {
    promise: 'machines are stopped only while a release is announced',
    table: 'account_ladders',
    row: { state: 'healthy', stopped_at: '2026-01-01T00:00:00Z' },
  },
  allocations_stop: {
    promise: 'a machine that is stopped is so since a time',
    table: 'allocations',
    row: { stop_phase: 'stopped', stop_since: null },
  },
  billing_documents_series: {
    promise: 'every document but a statement has a number of its series',
    table: 'billing_documents',
    row: { kind: 'receipt', entry_id: uuid },
  },
  billing_documents_period: {
    promise: 'an invoice and a statement are about a stretch of days',
    table: 'billing_documents',
    row: { period_from: null, period_to: null },
  },
  billing_documents_about: {
    promise: 'a receipt is about an entry of the ledger',
    table: 'billing_documents',
    row: { kind: 'receipt', series: 'receipt', sequence: 1, entry_id: null },
  },
  billing_documents_digest: {
    promise: 'the digest of a document is that of its content',
    table: 'billing_documents',
    row: { content: 'another' },
  },
  invoices_period: {
    promise: 'an invoice is about a stretch of days',
    table: 'invoices',
    row: { period_from: '2026-02-01', period_to: '2026-01-01' },
  },
  invoices_numbered: {
    promise: 'an invoice that is final has its document and the day it is due',
    table: 'invoices',
    row: { state: 'final', document_id: null },
  },
  invoices_draft: {
    promise: 'a draft has no number yet',
    table: 'invoices',
    row: { state: 'draft', document_id: uuid },
  },
  invoices_paid: {
    promise: 'an invoice that is paid, and no other, has the entry that paid it',
    table: 'invoices',
    row: { entry_id: uuid },
  },
  invoices_void: {
    promise: 'an invoice that was final and is void has a credit note',
    table: 'invoices',
    row: { state: 'void', document_id: uuid, credit_note_id: null, settled_at: when },
  },
  invoices_settled: {
    promise: 'an invoice that is settled says since when, and no other does',
    table: 'invoices',
    row: { settled_at: when },
  },
  payment_sessions_tax: {
    promise: 'tax is a part of a payment and never all of it',
    table: 'payment_sessions',
    row: { amount_minor: 100, tax_minor: 100 },
  },
  payment_refunds_tax: {
    promise: 'tax is a part of a refund and never all of it',
    table: 'payment_refunds',
    row: { amount_minor: 100, tax_minor: 100 },
  },
  payment_sessions_back: {
    promise: 'no more of a payment goes back, or is disputed, than was paid',
    table: 'payment_sessions',
    row: { credited_minor: 100, credit_entry_id: uuid, refunded_minor: 60, disputed_minor: 41 },
  },
  payment_sessions_credited: {
    promise: 'what was credited is in the ledger',
    table: 'payment_sessions',
    row: { credited_minor: 100, credit_entry_id: null },
  },
  payment_sessions_problem: {
    promise: 'a payment that does not fit says why, and no other does',
    table: 'payment_sessions',
    row: { problem: 'x' },
  },
  payment_refunds_sent: {
    promise: 'a refund that was sent has the name that the provider gave it',
    table: 'payment_refunds',
    row: { sent_at: when },
  },
  payment_refunds_end: {
    promise: 'a refund is sent or refused, not both',
    table: 'payment_refunds',
    row: { sent_at: when, provider_refund_id: 're_1', refusal: 'x' },
  },
  usage_evidence_check: {
    promise: 'a record is about a stretch of time, of a day at most',
    table: 'usage_evidence',
    row: { from_at: when, to_at: '2026-01-02T00:00:01Z' },
  },
  usage_evidence_check1: {
    promise: 'what counts of a record does not end before it begins',
    table: 'usage_evidence',
    row: { counts_from: anHourLater, counts_to: when },
  },
  usage_evidence_check2: {
    promise: 'the digest of a record is that of the record',
    table: 'usage_evidence',
    row: { digest: createHash('sha256').update('another').digest() },
  },
  usage_idle_days_check: {
    promise: 'no more time is idle than was observed',
    table: 'usage_idle_days',
    row: { observed_ms: 1, idle_ms: 2 },
  },
  usage_windows_check: {
    promise: 'a window is a stretch of time',
    table: 'usage_windows',
    row: { from_at: when, to_at: when },
  },
  usage_windows_rounded: {
    promise: 'what was charged is the exact price so far, rounded half up',
    table: 'usage_windows',
    row: { exact: '1800000000000', charged_minor: 0, unit: 'gpu_hour' },
  },
};

export const billingOnlyGrows: Readonly<Record<string, string>> = {
  app_use_readings: 'what an app had counted stays as it was charged',
  billing_documents: 'a document stays as it was issued',
  ledger_entries: 'what was charged or given stays as it was entered',
  ledger_seals: 'a link of the chain of an account stays as it was made',
  payment_events: 'what a provider said stays as it was taken',
  storage_prices: 'a price of storage stays as it was set',
  storage_readings: 'what a project stored stays as it was read',
  usage_evidence: 'what a host saw stays as it was signed',
  usage_windows: 'what was used in a window stays as it was charged',
};

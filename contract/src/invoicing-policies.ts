import { onOff, type Policy, whole } from './policy.ts';

/** Policies of invoices, of payments by saved cards and of what finance decides. */
export const invoicingPolicies = [
  onOff(
    'billing.invoice_monthly',
    false,
    'invoicing',
    "Whether an organization gets an invoice at each month's end for what its balance did not cover, by contract.",
  ),
  whole(
    'billing.month_close_minutes',
    { default: 60, minimum: 5, maximum: 10_080, unit: 'minutes' },
    'invoicing',
    'How long after the end of a month its statements and invoices are made.',
  ),
  whole(
    'billing.invoice_draft_hours',
    { default: 72, minimum: 0, maximum: 720, unit: 'hours' },
    'invoicing',
    'How long finance can look at an invoice before it becomes final by itself.',
  ),
  whole(
    'billing.payment_terms_days',
    { default: 14, minimum: 0, maximum: 180, unit: 'days' },
    'invoicing',
    'How long after its date an invoice is past due.',
  ),
  whole(
    'billing.reminder_days',
    { default: 7, minimum: 1, maximum: 90, unit: 'days' },
    'invoicing',
    'Days between the reminders of an invoice that is past due.',
  ),
  whole(
    'billing.max_reminders',
    { default: 3, minimum: 0, maximum: 20, unit: 'reminders' },
    'invoicing',
    'Reminders that one invoice gets. Afterwards finance decides.',
  ),
] as const satisfies readonly Policy[];

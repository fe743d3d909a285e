import { onOff, type Policy, whole } from '../policy.ts';

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
  onOff(
    'billing.past_due_blocks_launches',
    true,
    'invoicing',
    'Whether an organization with an invoice that is past due for longer than billing.past_due_grace_days may not launch.',
  ),
  whole(
    'billing.past_due_grace_days',
    { default: 7, minimum: 0, maximum: 365, unit: 'days' },
    'invoicing',
    'How long after its due date an invoice begins to refuse launches, where billing.past_due_blocks_launches is on.',
  ),
  whole(
    'billing.adjustment_limit_minor',
    { default: 10_000, minimum: 0, maximum: 1_000_000_000, unit: 'minor units' },
    'billing',
    'What one person of finance corrects alone in an account within a day, with refunds as credit. A larger correction needs a second person.',
  ),
  whole(
    'billing.adjustment_total_limit_minor',
    { default: 100_000, minimum: 0, maximum: 1_000_000_000_000, unit: 'minor units' },
    'billing',
    'What one person of finance corrects alone in all accounts of one currency together within a day, with refunds as credit. A larger correction needs a second person.',
  ),
  whole(
    'billing.adjustment_approval_hours',
    { default: 72, minimum: 1, maximum: 720, unit: 'hours' },
    'billing',
    'How long a correction waits for the second person before it expires.',
  ),
  whole(
    'payments.auto_top_up_max_failures',
    { default: 3, minimum: 1, maximum: 20, unit: 'attempts' },
    'payments',
    'Failed attempts in a row after which an automatic top-up is turned off.',
  ),
  whole(
    'payments.auto_top_up_retry_minutes',
    { default: 60, minimum: 1, maximum: 10_080, unit: 'minutes' },
    'payments',
    'How long an automatic top-up waits after its first failure. Each further failure doubles the wait.',
  ),
  whole(
    'payments.auto_top_up_confirm_hours',
    { default: 23, minimum: 1, maximum: 23, unit: 'hours' },
    'payments',
    "How long a person can confirm an automatic top-up on the provider's page, where the bank asks for that.",
  ),
  whole(
    'payments.new_payer_day_minor',
    { default: 100_000, minimum: 1, maximum: 1_000_000_000, unit: 'minor units' },
    'payments',
    'What an organization without settled payments adds to its balance in a day (UTC) at most. What has settled is added to it.',
  ),
  whole(
    'payments.new_payer_month_minor',
    { default: 300_000, minimum: 1, maximum: 1_000_000_000, unit: 'minor units' },
    'payments',
    'What an organization without settled payments adds to its balance in a month (UTC) at most. What has settled is added to it.',
  ),
  whole(
    'payments.maximum_day_minor',
    { default: 1_000_000, minimum: 1, maximum: 1_000_000_000, unit: 'minor units' },
    'payments',
    'What any organization adds to its balance in a day (UTC) at most.',
  ),
  whole(
    'payments.maximum_month_minor',
    { default: 10_000_000, minimum: 1, maximum: 1_000_000_000, unit: 'minor units' },
    'payments',
    'What any organization adds to its balance in a month (UTC) at most.',
  ),
  whole(
    'payments.settle_days',
    { default: 7, minimum: 0, maximum: 180, unit: 'days' },
    'payments',
    'How old a payment is when it counts as settled, if nothing of it went back or is disputed.',
  ),
] as const satisfies readonly Policy[];

import { onOff, type Policy, whole } from '../policy.ts';

/** Policies of billing: windows, balances, warnings and releases. */
export const billingPolicies = [
  whole(
    'billing.low_balance_threshold_minor',
    { default: 500, minimum: 0, maximum: 100_000_000, unit: 'minor units' },
    'billing',
    'A balance at or below this is low: its owners are warned once per crossing.',
  ),
  whole(
    'billing.window_seconds',
    { default: 60, minimum: 10, maximum: 3_600, unit: 'seconds' },
    'billing',
    'The length of one accrual window.',
  ),
  whole(
    'billing.storage_window_minutes',
    { default: 60, minimum: 1, maximum: 1_440, unit: 'minutes' },
    'billing',
    'The length of one window in which what a project stores is charged.',
  ),
  whole(
    'billing.app_window_minutes',
    { default: 5, minimum: 1, maximum: 1_440, unit: 'minutes' },
    'billing',
    'How often units that an app instance has counted are charged.',
  ),
  onOff(
    'billing.enforce_balance',
    true,
    'billing',
    'Whether an organization pays ahead, which it does where nothing else is set: a launch needs a balance that lasts for billing.minimum_runway_minutes, and what runs is released when the balance is spent.',
  ),
  whole(
    'billing.minimum_runway_minutes',
    { default: 60, minimum: 0, maximum: 43_200, unit: 'minutes' },
    'billing',
    'How long the balance must last, with everything that is active and the launch itself, where it is enforced.',
  ),
  whole(
    'billing.first_warning_minutes',
    { default: 1_440, minimum: 0, maximum: 525_600, unit: 'minutes' },
    'billing',
    'The first warning: the balance lasts no longer than this. Warnings are sent where billing.enforce_balance is on.',
  ),
  whole(
    'billing.second_warning_minutes',
    { default: 360, minimum: 0, maximum: 525_600, unit: 'minutes' },
    'billing',
    'The second warning: the balance lasts no longer than this.',
  ),
  whole(
    'billing.last_warning_minutes',
    { default: 60, minimum: 0, maximum: 525_600, unit: 'minutes' },
    'billing',
    'The last warning: the balance lasts no longer than this.',
  ),
  whole(
    'billing.release_notice_minutes',
    { default: 30, minimum: 1, maximum: 10_080, unit: 'minutes' },
    'billing',
    'Time between the announcement and the stop of all machines, where the balance lasts no longer than this.',
  ),
  whole(
    'billing.stopped_keep_minutes',
    { default: 60, minimum: 0, maximum: 43_200, unit: 'minutes' },
    'billing',
    'How long machines that were stopped for lack of money keep their place and disk before they are released. Stopped machines cost nothing. 0: they are released at the announced time, without a stop.',
  ),
  whole(
    'billing.quote_minutes',
    { default: 10, minimum: 1, maximum: 1_440, unit: 'minutes' },
    'billing',
    'How long a quote keeps its price.',
  ),
  whole(
    'billing.max_budgets_per_organization',
    { default: 100, minimum: 1, maximum: 1_000, unit: 'budgets' },
    'billing',
    'Budgets that one organization has at most. Each launch is compared with those that count it.',
  ),
  whole(
    'billing.maximum_grant_minor',
    { default: 1_000_000, minimum: 0, maximum: 1_000_000_000, unit: 'minor units' },
    'billing',
    'The most credit that one grant gives.',
  ),
  whole(
    'billing.grant_limit_minor',
    { default: 100_000, minimum: 0, maximum: 1_000_000_000, unit: 'minor units' },
    'billing',
    'What one person of finance gives an account alone within a day. More credit needs a second person.',
  ),
  whole(
    'billing.grant_total_limit_minor',
    { default: 1_000_000, minimum: 0, maximum: 1_000_000_000_000, unit: 'minor units' },
    'billing',
    'What one person of finance gives all accounts of one currency together alone within a day. More credit needs a second person.',
  ),
  whole(
    'billing.credit_days',
    { default: 365, minimum: 1, maximum: 3_650, unit: 'days' },
    'billing',
    'How long credit that finance gives is valid, where the grant does not say it. What is left then leaves the balance.',
  ),
] as const satisfies readonly Policy[];

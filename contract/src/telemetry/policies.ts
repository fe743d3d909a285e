import { whole } from '../policy.ts';

/** How long measurements are kept. */
export const telemetryPolicies = [
  whole(
    'telemetry.fine_hours',
    { default: 24, minimum: 1, maximum: 168, unit: 'hours' },
    'telemetry',
    'How long measurements of hosts and allocations are kept every 10 seconds.',
  ),
  whole(
    'telemetry.coarse_days',
    { default: 30, minimum: 1, maximum: 400, unit: 'days' },
    'telemetry',
    'How long measurements are kept as averages of 5 minutes.',
  ),
] as const;

import { whole } from '../policy.ts';

/** How long lines are kept in the database. A Loki has a retention of its own. */
export const logPolicies = [
  whole(
    'logs.node_retention_hours',
    { default: 72, minimum: 1, maximum: 2_160, unit: 'hours' },
    'logs',
    'How long lines of node agents are kept. Where they are forwarded to a Loki, it keeps them for its own time.',
  ),
  whole(
    'logs.console_retention_hours',
    { default: 72, minimum: 1, maximum: 2_160, unit: 'hours' },
    'logs',
    'How long the console of a machine is kept for the tenant that rents it, counted from each line.',
  ),
] as const;

import { whole } from '../policy.ts';

/** What operators may turn about mails, notifications and webhooks. */
export const notificationPolicies = [
  whole(
    'mail.max_attempts',
    { default: 12, minimum: 1, maximum: 100, unit: 'attempts' },
    'notifications',
    'Tries to send one email before it is given up. Pauses between them grow from one minute to six hours.',
  ),
  whole(
    'webhooks.max_per_organization',
    { default: 20, minimum: 0, maximum: 1_000, unit: 'webhooks' },
    'webhooks',
    'Webhooks that one organization may have.',
  ),
  whole(
    'webhooks.max_attempts',
    { default: 12, minimum: 1, maximum: 100, unit: 'attempts' },
    'webhooks',
    'Tries to post one event. Pauses between them grow from ten seconds to eight hours.',
  ),
  whole(
    'webhooks.disable_after_hours',
    { default: 120, minimum: 1, maximum: 8_760, unit: 'hours' },
    'webhooks',
    'A webhook whose receiver took nothing for this long is turned off.',
  ),
  whole(
    'webhooks.timeout_seconds',
    { default: 15, minimum: 1, maximum: 60, unit: 'seconds' },
    'webhooks',
    'How long a receiver has to answer.',
  ),
  whole(
    'webhooks.secret_overlap_hours',
    { default: 24, minimum: 0, maximum: 720, unit: 'hours' },
    'webhooks',
    'How long a former secret signs beside a new one.',
  ),
  whole(
    'webhooks.retention_days',
    { default: 30, minimum: 1, maximum: 365, unit: 'days' },
    'webhooks',
    'How long deliveries are kept.',
  ),
  whole(
    'notifications.retention_days',
    { default: 90, minimum: 1, maximum: 3_650, unit: 'days' },
    'notifications',
    'How long a notification is kept, and the record of its email.',
  ),
  whole(
    'notifications.digest_hour_utc',
    { default: 7, minimum: 0, maximum: 23, unit: 'hour' },
    'notifications',
    'The hour of the day, in UTC, at which daily emails are sent.',
  ),
] as const;

import type { Promised } from './list.ts';

const uuid = '01900000-0000-7000-8000-00000000c1c1';
const when = '2026-01-01T00:00:00Z';

/** What the schema promises about notifications: two rows that share these values are refused. */
export const notificationUniqueness: Readonly<Record<string, Promised>> = {
  notifications_pkey: {
    promise: 'a notification of a person is one row',
    table: 'notifications',
    row: { user_id: uuid, id: uuid, kind: 'balance_low' },
  },
  notifications_user_id_event_id_kind_key: {
    promise: 'a person is notified of an event once for each kind',
    table: 'notifications',
    row: { user_id: uuid, event_id: uuid, kind: 'balance_low' },
  },
  notification_preferences_pkey: {
    promise: 'a person has one choice for each kind',
    table: 'notification_preferences',
    row: { user_id: uuid, kind: 'balance_low', mail: 'each' },
  },
  webhook_deliveries_once: {
    promise: 'an event is posted to a webhook as one delivery',
    table: 'webhook_deliveries',
    row: { webhook_id: uuid, event_id: uuid },
  },
  webhook_secrets_current: {
    promise: 'a webhook has one secret that does not end',
    table: 'webhook_secrets',
    row: { webhook_id: uuid, ends_at: null },
  },
  webhooks_organization_id_id_key: {
    promise: 'a webhook belongs to one organization',
    table: 'webhooks',
    row: { organization_id: uuid, id: uuid, url: 'https://example.com/' },
    aside: 'webhooks_pkey',
  },
  notification_mails_user_id_notification_id_key: {
    promise: 'a notification is mailed to a person once',
    table: 'notification_mails',
    row: { user_id: uuid, notification_id: uuid },
  },
};

/** What one row must not look like. */
export const notificationChecks: Readonly<Record<string, Promised>> = {
  webhook_deliveries_settled: {
    promise: 'a delivery that waits is not settled',
    table: 'webhook_deliveries',
    row: { outcome: 'waiting', settled_at: when },
  },
  webhooks_disabled: {
    promise: 'a webhook that is off has a reason',
    table: 'webhooks',
    row: { url: 'https://example.com/', disabled_at: when, disabled_reason: null },
  },
  notification_mails_sent: {
    promise: 'a mail that was accepted has the id of its message',
    table: 'notification_mails',
    row: { outcome: 'accepted', message_id: null, settled_at: when },
  },
  notification_mails_settled: {
    promise: 'a mail that waits is not settled',
    table: 'notification_mails',
    row: { outcome: 'waiting', settled_at: when },
  },
};

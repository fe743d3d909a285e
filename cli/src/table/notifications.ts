import { choices } from '@gpuaas/sdk/choices';
import type { ArgSpec, CommandGroup, FlagSpec } from '../command.ts';
import { limit, oneOf, organization } from './words.ts';

const someId = '01a1dea2-0000-7000-8000-000000000000';
const webhook: ArgSpec = { name: 'WEBHOOK', meaning: 'the id of a webhook', field: 'webhook_id' };
const columns = ['id', 'url', 'enabled', 'failing_since', 'event_types', 'description'];
const eventTypes: FlagSpec = {
  type: 'string',
  value: 'TYPE,…',
  as: 'list',
  field: 'event_types',
  meaning: 'only events of these types',
};
const description: FlagSpec = { type: 'string', value: 'TEXT', meaning: 'what it is for' };

export const notifications: CommandGroup = {
  title: 'Notifications',
  commands: [
    {
      name: 'notifications list',
      summary: 'Your notifications, newest first',
      flags: { unread: { type: 'boolean', meaning: 'only those that are not read yet' }, limit },
      examples: ['gpuaas notifications list', 'gpuaas notifications list --unread --json id,title'],
      operation: 'notification_list',
      columns: ['at', 'tone', 'read', 'title', 'id'],
      none: 'There are no notifications.',
      reads: true,
    },
    {
      name: 'notifications count',
      summary: 'How many notifications are unread',
      examples: ['gpuaas notifications count'],
      operation: 'notification_count',
      columns: ['unread'],
      reads: true,
    },
    {
      name: 'notifications read',
      summary: 'Mark notifications as read: all of them, or those with these ids',
      flags: { id: { type: 'string', value: 'ID,…', as: 'list', field: 'ids', meaning: 'only these' } },
      examples: ['gpuaas notifications read'],
      operation: 'notification_read',
      columns: ['read'],
    },
    {
      name: 'notifications settings',
      summary: 'What you are notified of, and how',
      examples: ['gpuaas notifications settings'],
      operation: 'notification_preferences_get',
      columns: ['kind', 'inbox', 'mail', 'mail_required', 'title'],
      reads: true,
    },
    {
      name: 'notifications set',
      summary: 'Choose how you are notified of one kind',
      args: [{ name: 'KIND', meaning: 'as gpuaas notifications settings shows it', field: 'kind' }],
      flags: {
        mail: oneOf('WHEN', choices.notification_preference_set.mail, 'a mail for each, one a day, or none'),
        inbox: { type: 'string', value: 'true|false', as: 'truth', meaning: 'whether it is in the list' },
      },
      examples: ['gpuaas notifications set allocation_idle --mail daily'],
      operation: 'notification_preference_set',
      columns: ['kind', 'inbox', 'mail', 'mail_required'],
    },
    {
      name: 'webhook list',
      summary: 'Webhooks of the organization',
      flags: { organization, limit },
      examples: ['gpuaas webhook list'],
      operation: 'webhook_list',
      columns,
      none: 'There are no webhooks. gpuaas webhook create makes one.',
      reads: true,
    },
    {
      name: 'webhook create',
      summary: 'Have events posted to an address; prints the secret, once',
      args: [{ name: 'URL', meaning: 'a public https address', field: 'url' }],
      flags: { organization, events: eventTypes, description },
      examples: ['gpuaas webhook create https://example.com/hook --events provisioning.active,provisioning.failed'],
      operation: 'webhook_create',
      columns: ['id', 'url', 'secret'],
    },
    {
      name: 'webhook update',
      summary: 'Change a webhook, or turn it off or on again',
      args: [webhook],
      flags: {
        organization,
        url: { type: 'string', value: 'URL', meaning: 'another address' },
        events: eventTypes,
        description,
        enabled: { type: 'string', value: 'true|false', as: 'truth', meaning: 'whether events are posted' },
      },
      examples: [`gpuaas webhook update ${someId} --enabled true`],
      operation: 'webhook_update',
      columns,
    },
    {
      name: 'webhook rotate',
      summary: 'Make a new secret; the former one signs as well for a while',
      args: [webhook],
      flags: { organization },
      examples: [`gpuaas webhook rotate ${someId}`],
      operation: 'webhook_rotate',
      columns: ['id', 'secret', 'secret_overlap_until'],
    },
    {
      name: 'webhook delete',
      summary: 'Remove a webhook with its deliveries',
      args: [webhook],
      flags: { organization },
      examples: [`gpuaas webhook delete ${someId} --yes`],
      operation: 'webhook_delete',
      columns,
      asks: 'Remove the webhook {}?',
    },
    {
      name: 'webhook deliveries',
      summary: 'What was posted to a webhook, newest first',
      args: [webhook],
      flags: { organization, limit },
      examples: [`gpuaas webhook deliveries ${someId}`],
      operation: 'webhook_delivery_list',
      columns: ['id', 'event_type', 'outcome', 'attempts', 'response_status', 'reason', 'created_at'],
      none: 'Nothing was posted yet.',
      reads: true,
    },
    {
      name: 'webhook resend',
      summary: 'Post an event again',
      args: [webhook, { name: 'DELIVERY', meaning: 'the id of a delivery', field: 'delivery_id' }],
      flags: { organization },
      examples: [`gpuaas webhook resend ${someId} ${someId}`],
      operation: 'webhook_resend',
      columns: ['id', 'event_type', 'outcome', 'attempts'],
    },
  ],
};

import { choices } from '@gpuaas/sdk/choices';
import type { CommandGroup } from '../command.ts';
import { limit, oneOf } from './words.ts';

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
  ],
};

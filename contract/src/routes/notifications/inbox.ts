import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../../ids.ts';
import { chosenKinds } from '../../notifications/kinds.ts';
import { page, pageQuery } from '../../pages.ts';
import { defineRoute } from '../../route.ts';

const strict = { additionalProperties: false } as const;
const orNull = <const S extends Parameters<typeof Type.Union>[0][number]>(schema: S) =>
  Type.Union([schema, Type.Null()]);

export const NotificationKindName = Type.Enum([...chosenKinds]);
const Area = Type.Enum(['compute', 'access', 'security', 'money', 'operations']);

export const Notification = Type.Object(
  {
    id: Uuid,
    kind: NotificationKindName,
    area: Area,
    tone: Type.Enum(['good', 'notice', 'bad'], {
      description: 'Whether it is good news, to be noticed, or a problem.',
    }),
    at: Timestamp,
    read: Type.Boolean(),
    title: Type.String({ description: 'What happened, in one sentence.' }),
    text: Type.String({
      description: 'What it means and what to do, in a few sentences; empty where the title says all.',
    }),
    organization_id: orNull(Uuid),
    project_id: orNull(Uuid),
    /** Where the console shows what it is about. */
    link: orNull(Type.String({ description: 'A path of the console.' })),
    simulated: Type.Boolean({ description: 'It is about a machine of a simulated host: there is no such machine.' }),
    payload: Type.Object({}, { description: 'The facts of the event that led to it.' }),
    event_id: Uuid,
    correlation_id: Type.String(),
  },
  { $id: 'Notification', ...strict },
);
export type Notification = Static<typeof Notification>;

export const NotificationCount = Type.Object(
  { unread: Type.Integer({ minimum: 0, description: 'Counted up to `limit`.' }), limit: Type.Integer() },
  { $id: 'NotificationCount', ...strict },
);
export const NotificationsRead = Type.Object(
  { read: Type.Integer({ minimum: 0, description: 'How many became read.' }) },
  { $id: 'NotificationsRead', ...strict },
);

const MailChoice = Type.Enum(['each', 'daily', 'none'], {
  description: 'A mail for each, one mail a day with all of them, or none.',
});
export const NotificationPreference = Type.Object(
  {
    kind: NotificationKindName,
    area: Area,
    title: Type.String(),
    inbox: Type.Boolean({ description: 'Whether it is shown among the notifications.' }),
    mail: MailChoice,
    mail_required: Type.Boolean({ description: 'Mail about money and security cannot be turned off.' }),
    is_default: Type.Boolean({ description: 'Whether the person has chosen nothing for this kind.' }),
  },
  { $id: 'NotificationPreference', ...strict },
);
export type NotificationPreference = Static<typeof NotificationPreference>;
export const NotificationPreferences = Type.Object(
  {
    data: Type.Array(NotificationPreference),
    address: orNull(Type.String({ description: 'Where mails go; null while no address is known.' })),
  },
  { $id: 'NotificationPreferences', ...strict },
);

const mine = { tag: 'Notifications', tenancy: { kind: 'self' }, lane: 'default' } as const;
const reads = { kind: 'user', scope: 'profile:read', serviceAccounts: 'refused' } as const;
const writes = { kind: 'user', scope: 'profile:write', serviceAccounts: 'refused' } as const;

export const notificationList = defineRoute({
  id: 'notification_list',
  method: 'GET',
  path: '/api/v1/me/notifications',
  summary: 'Your notifications, newest first',
  ...mine,
  auth: reads,
  errors: ['cursor_invalid'],
  query: Type.Object(
    { ...pageQuery, unread: Type.Optional(Type.Boolean({ description: 'Only those that are not read yet.' })) },
    strict,
  ),
  response: page(Notification),
});

export const notificationCount = defineRoute({
  id: 'notification_count',
  method: 'GET',
  path: '/api/v1/me/notifications/count',
  summary: 'How many of your notifications are unread',
  ...mine,
  auth: reads,
  errors: [],
  response: NotificationCount,
});

export const notificationRead = defineRoute({
  id: 'notification_read',
  method: 'POST',
  path: '/api/v1/me/notifications/read',
  summary: 'Mark notifications as read: those with these ids, or all',
  ...mine,
  auth: writes,
  idempotency: 'key',
  audit: 'notification.read',
  errors: [],
  body: Type.Object(
    {
      ids: Type.Optional(
        Type.Array(Uuid, { minItems: 1, maxItems: 200, description: 'Left out, everything that is there is read.' }),
      ),
    },
    strict,
  ),
  response: NotificationsRead,
});

export const notificationPreferencesGet = defineRoute({
  id: 'notification_preferences_get',
  method: 'GET',
  path: '/api/v1/me/notification-preferences',
  summary: 'What you are notified of, and how',
  ...mine,
  auth: reads,
  errors: [],
  response: NotificationPreferences,
});

export const notificationPreferenceSet = defineRoute({
  id: 'notification_preference_set',
  method: 'PUT',
  path: '/api/v1/me/notification-preferences/{kind}',
  summary: 'Choose how you are notified of one kind',
  ...mine,
  auth: writes,
  idempotency: 'key',
  audit: 'notification_preference.set',
  errors: ['notification_required'],
  params: Type.Object({ kind: NotificationKindName }, strict),
  body: Type.Object({ inbox: Type.Optional(Type.Boolean()), mail: Type.Optional(MailChoice) }, strict),
  response: NotificationPreference,
});

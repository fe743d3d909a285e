import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../ids.ts';
import { page, pageQuery } from '../pages.ts';
import { defineRoute } from '../route.ts';

const strict = { additionalProperties: false } as const;

/** Events that a person wants to know of afterwards. Progress phases are not among them. */
export const noticeTypes = [
  'provisioning.active',
  'provisioning.queued',
  'provisioning.failed',
  'provisioning.releasing.completed',
  'provisioning.release_failed',
  'provisioning.idle',
  'provisioning.drain_notice',
  'provisioning.drain_called_off',
  'tenancy.project_member.changed',
] as const;

export const Notice = Type.Object(
  {
    id: Uuid,
    type: Type.Enum([...noticeTypes]),
    at: Timestamp,
    read: Type.Boolean({ description: 'Whether the caller marked it as read.' }),
    subject_name: Type.Union([Type.String(), Type.Null()], {
      description: 'The name of the allocation; null if the notice is about something else.',
    }),
    payload: Type.Object({}, { description: 'As in the event of this type.' }),
    correlation_id: Type.String(),
  },
  { $id: 'Notice', ...strict },
);
export type Notice = Static<typeof Notice>;

export const NoticesRead = Type.Object(
  { read_until: Timestamp },
  { $id: 'NoticesRead', ...strict, description: 'Everything up to this time counts as read, in every project.' },
);

export const noticeList = defineRoute({
  id: 'notice_list',
  method: 'GET',
  path: '/api/v1/notices',
  tag: 'Notices',
  summary: 'Notices of a project, newest first, for as long as events are kept',
  auth: { kind: 'user', scope: 'activity:read', serviceAccounts: 'refused' },
  tenancy: { kind: 'header' },
  lane: 'default',
  errors: ['cursor_invalid'],
  query: Type.Object(pageQuery, strict),
  response: page(Notice),
});

export const noticeRead = defineRoute({
  id: 'notice_read',
  method: 'PUT',
  path: '/api/v1/me/notices-read',
  tag: 'Notices',
  summary: 'Mark notices as read up to a time; the mark never moves back',
  auth: { kind: 'user', scope: 'profile:write', serviceAccounts: 'refused' },
  tenancy: { kind: 'self' },
  lane: 'default',
  idempotency: 'key',
  audit: 'notice.read',
  errors: [],
  body: Type.Object({ until: Timestamp }, strict),
  response: NoticesRead,
});

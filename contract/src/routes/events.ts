import { Type } from 'typebox';
import { Envelope } from '../event.ts';
import { Uuid } from '../ids.ts';
import { defineRoute } from '../route.ts';

/** One event of the stream, as clients of Server-Sent Events deliver it. */
const StreamedEvent = Type.Object(
  {
    id: Type.String({ description: 'The place to resume from: send it as Last-Event-ID or `after`.' }),
    event: Type.String({ description: '`ready` for the first one, with empty data; then the type of each event.' }),
    data: Type.String({
      contentMediaType: 'application/json',
      contentSchema: Type.Object(Envelope.properties),
      description: 'The envelope of the event.',
    }),
  },
  { additionalProperties: false },
);

export const eventStream = defineRoute({
  id: 'event_stream',
  method: 'GET',
  path: '/api/v1/events/stream',
  tag: 'Events',
  summary: 'Watch the events of a project live, and those of the money of its organization for those who may see it',
  auth: { kind: 'user', scope: 'activity:read', serviceAccounts: 'allowed' },
  tenancy: { kind: 'header' },
  lane: 'default',
  errors: ['cursor_invalid', 'too_many_streams'],
  text: ['text/event-stream'],
  stream: true,
  query: Type.Object(
    {
      project_id: Type.Optional(Uuid),
      about: Type.Optional({ ...Uuid, description: 'Only events about this object, for example an allocation.' }),
      types: Type.Optional(
        Type.String({
          maxLength: 500,
          pattern: '^[a-z_]+(?:\\.[a-z_]+)*(?:,[a-z_]+(?:\\.[a-z_]+)*)*$',
          description: 'Only events whose type is one of these or lies below one, separated by commas.',
        }),
      ),
      after: Type.Optional(
        Type.String({
          maxLength: 100,
          description: 'The id of the last event that you received; Last-Event-ID does the same. Default: from now on.',
        }),
      ),
      follow: Type.Optional(
        Type.Boolean({ default: true, description: 'Whether to wait for new events, or end after the existing ones.' }),
      ),
      notifications: Type.Optional(
        Type.Boolean({
          description: 'Also send `notifications.changed`, with empty data, when your notifications have changed.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  response: Type.String({
    description:
      'Server-Sent Events. `event` is the type, `data` the envelope, `id` the place to resume from. The first one is `ready`.',
    contentMediaType: 'text/event-stream',
    contentSchema: StreamedEvent,
  }),
});

import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../../ids.ts';
import { page, pageQuery } from '../../pages.ts';
import { defineRoute } from '../../route.ts';
import { eventStream } from '../events.ts';
import { DeadLetter } from './dead-letters.ts';

const strict = { additionalProperties: false } as const;
const operators = { kind: 'none', why: 'Events of all tenants, for operators only.' } as const;
const reader = { kind: 'admin', scope: 'events:read' } as const;
const Envelope = Type.Object({}, { description: 'The published event: actor, time, cause and payload.' });

/** An event in the outbox. It is kept for a while after it was published, for inspection and replay. */
export const LoggedEvent = Type.Object(
  {
    position: Type.String({ pattern: '^[0-9]{1,19}$' }),
    event_id: Uuid,
    event_type: Type.String(),
    key: Type.String({ description: 'The object of the event: events of one key stay in order.' }),
    organization_id: Type.Union([Uuid, Type.Null()]),
    project_id: Type.Union([Uuid, Type.Null()]),
    correlation_id: Type.String(),
    created_at: Timestamp,
    is_published: Type.Boolean({ description: 'Whether the relay has handed it to the bus.' }),
    envelope: Envelope,
  },
  { $id: 'LoggedEvent', ...strict },
);
export type LoggedEvent = Static<typeof LoggedEvent>;

export const DeadLetterDetail = Type.Object(
  { ...DeadLetter.properties, envelope: Envelope },
  { $id: 'DeadLetterDetail', ...strict },
);
export type DeadLetterDetail = Static<typeof DeadLetterDetail>;

export const adminEventList = defineRoute({
  id: 'admin_event_list',
  method: 'GET',
  path: '/api/v1/admin/events',
  tag: 'AdminOps',
  summary: 'The kept events, newest first',
  auth: reader,
  tenancy: operators,
  lane: 'admin',
  errors: ['cursor_invalid'],
  query: Type.Object(
    {
      ...pageQuery,
      type: Type.Optional(
        Type.String({
          maxLength: 200,
          pattern: '^[a-z_]+(?:\\.[a-z_]+)*$',
          description: 'The whole type, or a prefix of it.',
        }),
      ),
      about: Type.Optional(Type.String({ maxLength: 200, description: 'The key: the id of the object.' })),
      organization_id: Type.Optional(Uuid),
    },
    strict,
  ),
  response: page(LoggedEvent),
});

export const adminEventStream = defineRoute({
  id: 'admin_event_stream',
  method: 'GET',
  path: '/api/v1/admin/events/stream',
  tag: 'AdminOps',
  summary: 'Watch the events of all tenants live',
  auth: reader,
  tenancy: operators,
  lane: 'admin',
  errors: ['cursor_invalid', 'too_many_streams'],
  text: ['text/event-stream'],
  stream: true,
  query: Type.Object(
    {
      about: eventStream.query.properties.about,
      types: eventStream.query.properties.types,
      after: eventStream.query.properties.after,
      follow: eventStream.query.properties.follow,
      notifications: eventStream.query.properties.notifications,
    },
    strict,
  ),
  response: eventStream.response,
});

export const dlqGet = defineRoute({
  id: 'dlq_get',
  method: 'GET',
  path: '/api/v1/admin/dlq/messages/{stream_seq}',
  tag: 'AdminOps',
  summary: 'One dead letter with its event',
  auth: { kind: 'admin', scope: 'events:admin' },
  tenancy: operators,
  lane: 'admin',
  errors: ['event_not_found'],
  params: Type.Object({ stream_seq: Type.String({ pattern: '^[0-9]{1,19}$' }) }, strict),
  response: DeadLetterDetail,
});

import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../../ids.ts';
import { page, pageQuery } from '../../pages.ts';
import { defineRoute } from '../../route.ts';
import { oneAtATime, recentSignIn } from '../../step-up.ts';

export const DeadLetter = Type.Object(
  {
    stream_seq: Type.String({ pattern: '^[0-9]{1,19}$', description: 'The number of the dead letter.' }),
    event_id: Uuid,
    event_type: Type.String(),
    subject: Type.String({ description: 'The subject under which it was published as a dead letter: dlq.<domain>.…' }),
    origin: Type.Enum(['publish', 'consume'], {
      description: 'Whether the bus refused it, or a consumer failed on it.',
    }),
    consumer: Type.Union([Type.String(), Type.Null()]),
    organization_id: Type.Union([Uuid, Type.Null()]),
    correlation_id: Type.String(),
    attempts: Type.Integer(),
    reason: Type.String(),
    state: Type.Enum(['open', 'requeued', 'discarded']),
    created_at: Timestamp,
    settled_at: Type.Union([Timestamp, Type.Null()]),
  },
  { $id: 'DeadLetter', additionalProperties: false },
);
export type DeadLetter = Static<typeof DeadLetter>;

const operators = { kind: 'none', why: 'Events of all tenants, for operators only.' } as const;
const state = Type.Optional(Type.Enum(['open', 'requeued', 'discarded'], { description: 'Default: open.' }));
const reason = Type.Object({ reason: Type.String({ minLength: 3, maxLength: 500 }) }, { additionalProperties: false });
const byEvent = Type.Object({ event_id: Uuid }, { additionalProperties: false });
const bySequence = Type.Object(
  { stream_seq: Type.String({ pattern: '^[0-9]{1,19}$' }) },
  { additionalProperties: false },
);

export const outboxFailedList = defineRoute({
  id: 'outbox_failed_list',
  method: 'GET',
  path: '/api/v1/admin/outbox/failed',
  tag: 'AdminOps',
  summary: 'Events that the bus refused',
  auth: { kind: 'admin', scope: 'events:admin' },
  tenancy: operators,
  lane: 'admin',
  errors: ['cursor_invalid'],
  query: Type.Object({ ...pageQuery, state }, { additionalProperties: false }),
  response: page(DeadLetter),
});

export const outboxRequeue = defineRoute({
  id: 'outbox_requeue',
  method: 'POST',
  path: '/api/v1/admin/outbox/{event_id}/requeue',
  tag: 'AdminOps',
  summary: 'Publish a refused event again',
  auth: { kind: 'admin', scope: 'events:admin' },
  tenancy: operators,
  lane: 'admin',
  idempotency: 'key',
  audit: 'outbox.requeue',
  stepUp: oneAtATime,
  errors: ['event_not_found', 'event_already_settled', 'event_not_committed'],
  params: byEvent,
  body: reason,
  response: DeadLetter,
});

export const outboxDiscard = defineRoute({
  id: 'outbox_discard',
  method: 'POST',
  path: '/api/v1/admin/outbox/{event_id}/discard',
  tag: 'AdminOps',
  summary: 'Discard a refused event',
  auth: { kind: 'admin', scope: 'events:admin' },
  tenancy: operators,
  lane: 'admin',
  idempotency: 'key',
  audit: 'outbox.discard',
  stepUp: recentSignIn,
  errors: ['event_not_found', 'event_already_settled'],
  params: byEvent,
  body: reason,
  response: DeadLetter,
});

export const outboxRewind = defineRoute({
  id: 'outbox_rewind',
  method: 'POST',
  path: '/api/v1/admin/outbox/rewind',
  tag: 'AdminOps',
  summary: 'Publish every kept event again, after the bus lost some; no effect happens twice',
  auth: { kind: 'admin', scope: 'events:admin' },
  tenancy: operators,
  lane: 'admin',
  idempotency: 'key',
  audit: 'outbox.rewind',
  stepUp: recentSignIn,
  errors: [],
  status: 202,
  body: reason,
  response: Type.Object(
    { events: Type.Integer({ description: 'How many events will be published again.' }) },
    { additionalProperties: false },
  ),
});

export const dlqList = defineRoute({
  id: 'dlq_list',
  method: 'GET',
  path: '/api/v1/admin/dlq/messages',
  tag: 'AdminOps',
  summary: 'All dead letters, newest first',
  auth: { kind: 'admin', scope: 'events:admin' },
  tenancy: operators,
  lane: 'admin',
  errors: ['cursor_invalid'],
  query: Type.Object(
    {
      ...pageQuery,
      state,
      subject_prefix: Type.Optional(Type.String({ pattern: '^dlq\\.[a-z0-9_.-]*$', maxLength: 200 })),
    },
    { additionalProperties: false },
  ),
  response: page(DeadLetter),
});

export const dlqRequeue = defineRoute({
  id: 'dlq_requeue',
  method: 'POST',
  path: '/api/v1/admin/dlq/messages/{stream_seq}/requeue',
  tag: 'AdminOps',
  summary: 'Deliver a dead letter again; consumers that processed it already ignore it',
  auth: { kind: 'admin', scope: 'events:admin' },
  tenancy: operators,
  lane: 'admin',
  idempotency: 'key',
  audit: 'dlq.requeue',
  stepUp: oneAtATime,
  errors: ['event_not_found', 'event_already_settled', 'event_not_committed'],
  params: bySequence,
  body: reason,
  response: DeadLetter,
});

export const dlqDiscard = defineRoute({
  id: 'dlq_discard',
  method: 'POST',
  path: '/api/v1/admin/dlq/messages/{stream_seq}/discard',
  tag: 'AdminOps',
  summary: 'Discard a dead letter',
  auth: { kind: 'admin', scope: 'events:admin' },
  tenancy: operators,
  lane: 'admin',
  idempotency: 'key',
  audit: 'dlq.discard',
  stepUp: recentSignIn,
  errors: ['event_not_found', 'event_already_settled'],
  params: bySequence,
  body: reason,
  response: DeadLetter,
});

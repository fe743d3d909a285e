import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../../ids.ts';
import { defineRoute } from '../../route.ts';

const strict = { additionalProperties: false } as const;

/** One thing that happened because of a request, wherever it happened. */
export const CorrelationMoment = Type.Object(
  {
    at: Timestamp,
    source: Type.Enum(['audit', 'event', 'dead_letter', 'task', 'allocation'], {
      description:
        'Who wrote it down: the audit log, the outbox, the list of dead letters, the tasks of a node, or the timeline of an allocation.',
    }),
    name: Type.String({ description: 'An action, a type of event, a type of task, or a step of a timeline.' }),
    state: Type.Union([Type.String(), Type.Null()], { description: 'How it ended, or where it led.' }),
    actor: Type.Union([Type.String(), Type.Null()], {
      description: 'Who did it: a person, a process, a saga, a node.',
    }),
    subject_type: Type.String(),
    subject_id: Type.String(),
    organization_id: Type.Union([Uuid, Type.Null()]),
    project_id: Type.Union([Uuid, Type.Null()]),
    took_ms: Type.Union([Type.Integer(), Type.Null()], { description: 'How long it took, where that is known.' }),
    detail: Type.Object({}, { description: 'What was written down beside it.' }),
  },
  { $id: 'CorrelationMoment', ...strict },
);
export type CorrelationMoment = Static<typeof CorrelationMoment>;

export const Correlation = Type.Object(
  {
    correlation_id: Type.String(),
    began_at: Type.Union([Timestamp, Type.Null()]),
    ended_at: Type.Union([Timestamp, Type.Null()], { description: 'When the last of it happened, so far.' }),
    moments: Type.Array(CorrelationMoment, { description: 'In the order of time.' }),
    is_whole: Type.Boolean({ description: 'False where there was more than one answer holds.' }),
  },
  { $id: 'Correlation', ...strict },
);
export type Correlation = Static<typeof Correlation>;

const byCorrelation = Type.Object({ correlation_id: Type.String({ minLength: 1, maxLength: 128 }) }, strict);

export const correlationGet = defineRoute({
  id: 'correlation_get',
  method: 'GET',
  path: '/api/v1/correlations/{correlation_id}',
  tag: 'Activity',
  summary: 'Everything that one request led to in this project, in the order of time',
  auth: { kind: 'user', scope: 'activity:read', serviceAccounts: 'allowed' },
  tenancy: { kind: 'header' },
  lane: 'default',
  errors: [],
  params: byCorrelation,
  response: Correlation,
});

export const adminCorrelationGet = defineRoute({
  id: 'admin_correlation_get',
  method: 'GET',
  path: '/api/v1/admin/correlations/{correlation_id}',
  tag: 'AdminAudit',
  summary: 'Everything that one request led to anywhere, in the order of time',
  auth: { kind: 'admin', scope: 'audit:admin' },
  tenancy: { kind: 'none', why: 'A request may touch several tenants and the fleet; for operators only.' },
  lane: 'admin',
  errors: [],
  params: byCorrelation,
  response: Correlation,
});

import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../../ids.ts';
import { defineRoute } from '../../route.ts';

const strict = { additionalProperties: false } as const;

/** One record that a request caused. */
export const CorrelationMoment = Type.Object(
  {
    at: Timestamp,
    source: Type.Enum(['audit', 'event', 'dead_letter', 'task', 'allocation'], {
      description:
        'Where it was recorded: the audit log, the outbox, the dead letters, the tasks of a node, or the timeline of an allocation.',
    }),
    name: Type.String({ description: 'An action, an event type, a task type, or a timeline step.' }),
    state: Type.Union([Type.String(), Type.Null()], { description: 'The result.' }),
    actor: Type.Union([Type.String(), Type.Null()], {
      description: 'The actor: a person, a process, a workflow, a node.',
    }),
    subject_type: Type.String(),
    subject_id: Type.String(),
    organization_id: Type.Union([Uuid, Type.Null()]),
    project_id: Type.Union([Uuid, Type.Null()]),
    took_ms: Type.Union([Type.Integer(), Type.Null()], { description: 'The duration, where it is known.' }),
    detail: Type.Object({}, { description: 'Further details.' }),
  },
  { $id: 'CorrelationMoment', ...strict },
);
export type CorrelationMoment = Static<typeof CorrelationMoment>;

export const Correlation = Type.Object(
  {
    correlation_id: Type.String(),
    began_at: Type.Union([Timestamp, Type.Null()]),
    ended_at: Type.Union([Timestamp, Type.Null()], { description: 'The time of the latest record so far.' }),
    moments: Type.Array(CorrelationMoment, { description: 'In time order.' }),
    is_whole: Type.Boolean({ description: 'False if there are more records than one answer holds.' }),
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
  summary: 'Everything that one request caused in this project, in time order',
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
  summary: 'Everything that one request caused anywhere, in time order',
  auth: { kind: 'admin', scope: 'audit:admin' },
  tenancy: { kind: 'none', why: 'A request may touch several tenants and the fleet; for operators only.' },
  lane: 'admin',
  errors: [],
  params: byCorrelation,
  response: Correlation,
});

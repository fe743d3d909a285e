import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../../../ids.ts';
import { page, pageQuery } from '../../../pages.ts';
import { defineRoute } from '../../../route.ts';

const strict = { additionalProperties: false } as const;
const When = Type.Union([Timestamp, Type.Null()]);
const Text = Type.Union([Type.String(), Type.Null()]);
const taskStates = ['queued', 'dispatched', 'succeeded', 'failed', 'expired', 'cancelled'] as const;

export const FleetTask = Type.Object(
  {
    id: Uuid,
    task_type: Type.String(),
    state: Type.Enum([...taskStates]),
    generation: Type.Integer(),
    allocation_id: Type.Union([Uuid, Type.Null()]),
    failure_code: Text,
    correlation_id: Type.String(),
    issued_at: Timestamp,
    expires_at: Timestamp,
    dispatched_at: When,
    finished_at: When,
  },
  { $id: 'FleetTask', ...strict },
);
export type FleetTask = Static<typeof FleetTask>;

export const nodeTaskList = defineRoute({
  id: 'node_task_list',
  method: 'GET',
  path: '/api/v1/admin/nodes/{node_id}/tasks',
  summary: 'The tasks of a host, newest first',
  tag: 'AdminNodes',
  auth: { kind: 'admin', scope: 'fleet:read' },
  tenancy: { kind: 'none', why: 'Hosts belong to the platform.' },
  lane: 'admin',
  errors: ['node_not_found', 'cursor_invalid'],
  params: Type.Object({ node_id: Uuid }, strict),
  query: Type.Object(
    {
      ...pageQuery,
      state: Type.Optional(Type.Enum([...taskStates])),
      q: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 200,
          description: 'Part of the task type, or the id of an allocation.',
        }),
      ),
    },
    strict,
  ),
  response: page(FleetTask),
});

import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../../ids.ts';
import { defineRoute } from '../../route.ts';
import { oneAtATime } from '../../step-up.ts';

const strict = { additionalProperties: false } as const;
const orNull = <const S extends Parameters<typeof Type.Union>[0][number]>(schema: S) =>
  Type.Union([schema, Type.Null()]);
const State = Type.Enum(['running', 'done', 'undone', 'cancelled', 'stuck'], {
  description:
    'undone: a step failed, and the steps before it were rolled back. cancelled: the same, because an operator cancelled it. stuck: the rollback failed; an operator must look and retry it.',
});

/** One workflow run: its position or its result. */
export const Workflow = Type.Object(
  {
    workflow: Type.String({ description: 'The name of the workflow, such as allocation.provision.' }),
    version: Type.Integer(),
    run_id: Type.String({ description: 'Usually the id of its object, such as an allocation.' }),
    state: State,
    step: orNull(Type.String({ description: 'The current step, or the one that ended the run.' })),
    reason: orNull(Type.String()),
    correlation_id: orNull(Type.String()),
    organization_id: orNull(Uuid),
    began_at: Timestamp,
    ended_at: orNull(Timestamp),
  },
  { $id: 'Workflow', ...strict },
);
export type Workflow = Static<typeof Workflow>;

export const WorkflowStep = Type.Object(
  {
    name: Type.String(),
    work: Type.Enum(['do', 'ask', 'undo'], { description: 'ask: a request was sent, and its answer is awaited.' }),
    end: Type.Enum(['ok', 'halt', 'failed'], { description: 'halt: it will not be retried.' }),
    reason: orNull(Type.String()),
    began_at: Timestamp,
    ended_at: Timestamp,
  },
  { $id: 'WorkflowStep', ...strict },
);
export type WorkflowStep = Static<typeof WorkflowStep>;

export const WorkflowAction = Type.Object(
  {
    action: Type.Enum(['retry', 'cancel']),
    allowed: Type.Boolean(),
    why_not: orNull(Type.String()),
  },
  { $id: 'WorkflowAction', ...strict },
);
export type WorkflowAction = Static<typeof WorkflowAction>;

export const WorkflowOrder = Type.Object(
  {
    action: Type.Enum(['retry', 'cancel']),
    by: Type.String({ description: 'Who asked for it.' }),
    reason: Type.String(),
    at: Timestamp,
  },
  { $id: 'WorkflowOrder', ...strict },
);
export type WorkflowOrder = Static<typeof WorkflowOrder>;

export const WorkflowDetail = Type.Object(
  {
    ...Workflow.properties,
    plan: Type.Array(
      Type.Object(
        {
          name: Type.String(),
          kind: Type.Enum(['step', 'wait', 'failure'], {
            description: 'A step of kind failure runs only when a later step fails.',
          }),
          undoes: Type.Boolean({ description: 'Whether the step can be rolled back.' }),
          attempts: Type.Integer({ description: 'Attempts before the step fails.' }),
        },
        strict,
      ),
      { description: 'All steps in order, as planned at the start.' },
    ),
    attempts: Type.Array(WorkflowStep, { description: 'All attempts so far, in time order.' }),
    doing: orNull(
      Type.Enum(['queued', 'working', 'pausing', 'waiting', 'stuck'], {
        description:
          'queued: no worker has it yet. pausing: between two attempts. waiting: for an answer. Null once it has ended.',
      }),
    ),
    until: orNull({ ...Timestamp, description: 'When the pause ends, or until when an answer is awaited.' }),
    undoing: Type.Boolean({ description: 'Whether it is rolling back.' }),
    orders: Type.Array(WorkflowOrder, { description: 'Requests of people so far, in time order.' }),
    actions: Type.Array(WorkflowAction, { description: 'The actions that are possible now; for the others, why not.' }),
  },
  { $id: 'WorkflowDetail', ...strict },
);
export type WorkflowDetail = Static<typeof WorkflowDetail>;

const shared = {
  tag: 'AdminWorkflows',
  auth: { kind: 'admin', scope: 'fleet:read' },
  tenancy: { kind: 'none', why: 'Workflows act for all tenants and for the fleet.' },
  lane: 'admin',
} as const;
const WorkflowName = Type.String({ maxLength: 100, pattern: '^[a-z0-9_]+(?:[.-][a-z0-9_]+)*$' });
const RunId = Type.String({ minLength: 1, maxLength: 200, pattern: '^[A-Za-z0-9._:-]+$' });

export const workflowList = defineRoute({
  id: 'workflow_list',
  method: 'GET',
  path: '/api/v1/admin/workflows',
  summary: 'Workflow runs, latest first; at most the requested number',
  ...shared,
  errors: ['service_unavailable'],
  query: Type.Object(
    {
      workflow: Type.Optional(WorkflowName),
      state: Type.Optional(State),
      run_id: Type.Optional({ ...RunId, description: 'A prefix of the run id.' }),
      before: Type.Optional({ ...Timestamp, description: 'Only runs that began before this time.' }),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
    },
    strict,
  ),
  response: Type.Object({ data: Type.Array(Workflow) }, strict),
});

export const workflowGet = defineRoute({
  id: 'workflow_get',
  method: 'GET',
  path: '/api/v1/admin/workflows/{workflow}/{run_id}',
  summary: 'One run with its plan and all attempts',
  ...shared,
  errors: ['service_unavailable', 'workflow_not_found'],
  params: Type.Object({ workflow: WorkflowName, run_id: RunId }, strict),
  response: WorkflowDetail,
});

const ordered = {
  ...shared,
  auth: { kind: 'admin', scope: 'fleet:admin' },
  idempotency: 'key',
  errors: ['service_unavailable', 'workflow_not_found', 'illegal_transition'],
  status: 202,
  params: Type.Object({ workflow: WorkflowName, run_id: RunId }, strict),
  body: Type.Object(
    { reason: Type.String({ minLength: 1, maxLength: 500, pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]*$' }) },
    strict,
  ),
  response: WorkflowDetail,
} as const;

export const workflowRetry = defineRoute({
  id: 'workflow_retry',
  method: 'POST',
  path: '/api/v1/admin/workflows/{workflow}/{run_id}/retry',
  summary: 'Retry the paused step now; for a stuck run, retry the failed rollback',
  ...ordered,
  audit: 'workflow.retry',
  stepUp: oneAtATime,
});

export const workflowCancel = defineRoute({
  id: 'workflow_cancel',
  method: 'POST',
  path: '/api/v1/admin/workflows/{workflow}/{run_id}/cancel',
  summary: 'Cancel a run: it stops between two steps, rolls back, and ends as cancelled',
  ...ordered,
  audit: 'workflow.cancel',
  stepUp: oneAtATime,
});

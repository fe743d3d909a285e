import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../../../ids.ts';
import { signerStates } from '../../../node/signers.ts';
import { defineRoute } from '../../../route.ts';
import { recentSignIn } from '../../../step-up.ts';

export const TaskSigner = Type.Object(
  {
    id: Uuid,
    public_key: Type.String({ description: 'The raw Ed25519 key in base64url.' }),
    state: Type.Enum([...signerStates]),
    version: Type.Integer(),
    published_at: Timestamp,
    effective_at: Timestamp,
    retires_at: Type.Union([Timestamp, Type.Null()]),
  },
  { $id: 'TaskSigner', additionalProperties: false },
);
export type TaskSigner = Static<typeof TaskSigner>;

const operators = { kind: 'none', why: 'Keys of the platform, for operators only.' } as const;
const params = Type.Object({ signer_id: Uuid }, { additionalProperties: false });
const body = Type.Object(
  { reason: Type.String({ minLength: 3, maxLength: 500, description: 'Why; kept in the audit log.' }) },
  { additionalProperties: false },
);
const shared = {
  tag: 'AdminFleet',
  auth: { kind: 'admin', scope: 'fleet:admin' },
  tenancy: operators,
  lane: 'admin',
  idempotency: 'key',
} as const;

export const taskSignerList = defineRoute({
  id: 'task_signer_list',
  method: 'GET',
  path: '/api/v1/admin/task-signers',
  tag: 'AdminFleet',
  summary: 'Task-signing keys, newest first',
  auth: { kind: 'admin', scope: 'fleet:read' },
  tenancy: operators,
  lane: 'admin',
  errors: [],
  response: Type.Object({ data: Type.Array(TaskSigner) }, { additionalProperties: false }),
});

export const taskSignerRotate = defineRoute({
  ...shared,
  id: 'task_signer_rotate',
  method: 'POST',
  path: '/api/v1/admin/task-signers',
  summary: 'Announce a new key; it signs after every node has had time to learn it',
  audit: 'task_signer.rotate',
  stepUp: recentSignIn,
  status: 201,
  errors: ['illegal_transition'],
  body,
  response: TaskSigner,
});

export const taskSignerRetire = defineRoute({
  ...shared,
  id: 'task_signer_retire',
  method: 'POST',
  path: '/api/v1/admin/task-signers/{signer_id}/retire',
  summary: 'End the grace period of a replaced key',
  audit: 'task_signer.retire',
  stepUp: recentSignIn,
  errors: ['task_signer_not_found', 'illegal_transition'],
  params,
  body,
  response: TaskSigner,
});

export const taskSignerRevoke = defineRoute({
  ...shared,
  id: 'task_signer_revoke',
  method: 'POST',
  path: '/api/v1/admin/task-signers/{signer_id}/revoke',
  summary: 'Revoke a key: nodes refuse tasks that it signed; an active one gets a successor at once',
  audit: 'task_signer.revoke',
  stepUp: { maxAge: 'auth.step_up_max_age_seconds' },
  errors: ['task_signer_not_found', 'illegal_transition'],
  params,
  body,
  response: TaskSigner,
});

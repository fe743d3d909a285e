import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../ids.ts';
import { SignerVersionId } from './signers.ts';
import { NodeTaskParams, NodeTaskType } from './tasks.ts';

const Signature = (of: string) =>
  Type.String({
    pattern: '^[A-Za-z0-9_-]{86}$',
    description: `Ed25519 in base64url, over the canonical JSON (RFC 8785) of ${of} without this member.`,
  });

const Generation = Type.Integer({
  minimum: 1,
  description:
    'The generation of the lease that the work belongs to. A result of an older generation is refused, so that a node that was cut off cannot speak for a lease that has moved on.',
});

/**
 * What a node is asked to do. Unknown members are allowed and covered by the signature, so that a newer control plane
 * can say more than an older agent understands.
 */
export const NodeTask = Type.Object(
  {
    task_id: Uuid,
    node_id: Uuid,
    task_type: NodeTaskType,
    generation: Generation,
    issued_at: Timestamp,
    expires_at: Timestamp,
    correlation_id: Type.Optional(
      Type.String({ maxLength: 128, description: 'The request that led to this; the agent writes it into its log.' }),
    ),
    signer_version_id: SignerVersionId,
    params: NodeTaskParams,
    signature: Signature('the task'),
  },
  {
    $id: 'NodeTask',
    description:
      'Obeyed only if the signature holds under a key the node accepts, node_id is its own, it has not expired, and task_id was never seen.',
  },
);
export type NodeTask = Static<typeof NodeTask>;

export const NodeTaskFailure = Type.Object(
  {
    code: Type.String({ minLength: 1, maxLength: 100 }),
    message: Type.String({ maxLength: 2000, description: 'For operators; carries no secret.' }),
  },
  { $id: 'NodeTaskFailure' },
);

/** The result of a task. Posting the same result again changes nothing. */
export const NodeTaskResult = Type.Object(
  {
    task_id: Uuid,
    node_id: Uuid,
    task_type: NodeTaskType,
    generation: Generation,
    outcome: Type.Enum(['succeeded', 'failed']),
    started_at: Timestamp,
    finished_at: Timestamp,
    output: Type.Optional(
      Type.Object({}, { description: 'What the handler found or made; x-gpuaas-tasks has the schema of each type.' }),
    ),
    failure: Type.Optional(NodeTaskFailure),
    signature: Signature('the result'),
  },
  {
    $id: 'NodeTaskResult',
    description: 'Signed by the node, and taken only over the connection that carries the same node’s certificate.',
  },
);
export type NodeTaskResult = Static<typeof NodeTaskResult>;

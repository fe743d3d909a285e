import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import {
  endorsementText,
  type NodeTask,
  type NodeTaskType,
  type SignerState,
  type SignersStatement,
  type SignerVersion,
  signedText,
  statementText,
} from '@gpuaas/contract/node';

/** The control plane's side of tasks: a signing key, and tasks that are signed with it. */
export interface TestSigner {
  version(state?: SignerState): SignerVersion;
  /** As the successor of another, which vouches for it. */
  after(before: TestSigner, state?: SignerState): SignerVersion;
  endorse(
    signer: Pick<SignerVersion, 'signer_version_id' | 'public_key'>,
  ): Pick<SignerVersion, 'endorsed_by' | 'endorsement'>;
  /** Signs a whole list, as the active key does. */
  state(signers: readonly SignerVersion[], sequence: number): SignersStatement;
  sign(task: Omit<NodeTask, 'signature'>): NodeTask;
  task(order: TaskOrder): NodeTask;
}
export interface TaskOrder {
  readonly nodeId: string;
  readonly type?: NodeTaskType;
  readonly params?: object;
  readonly generation?: number;
  readonly issuedAt?: Date;
  readonly ttlMs?: number;
  readonly taskId?: string;
}

export function makeTestSigner(): TestSigner {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const id = randomUUID();
  const at = '2026-01-01T00:00:00.000Z';
  const signTask = (task: Omit<NodeTask, 'signature'>): NodeTask => ({
    ...task,
    signature: sign(null, Buffer.from(signedText(task)), privateKey).toString('base64url'),
  });
  const version = (state: SignerState = 'active'): SignerVersion => ({
    signer_version_id: id,
    public_key: publicKey.export({ format: 'jwk' }).x ?? '',
    state,
    published_at: at,
    effective_at: at,
  });
  return {
    version,
    after: (before, state) => ({ ...version(state), ...before.endorse(version()) }),
    endorse: ({ signer_version_id, public_key }) => ({
      endorsed_by: id,
      endorsement: sign(
        null,
        Buffer.from(endorsementText({ signer_version_id, public_key, endorsed_by: id })),
        privateKey,
      ).toString('base64url'),
    }),
    state: (signers, sequence) => ({
      stated_by: id,
      sequence,
      signature: sign(null, Buffer.from(statementText({ signers, stated_by: id, sequence })), privateKey).toString(
        'base64url',
      ),
    }),
    sign: signTask,
    task: (order) => {
      const issuedAt = order.issuedAt ?? new Date();
      return signTask({
        task_id: order.taskId ?? randomUUID(),
        node_id: order.nodeId,
        task_type: order.type ?? 'diag.health_probe',
        generation: order.generation ?? 1,
        issued_at: issuedAt.toISOString(),
        expires_at: new Date(issuedAt.getTime() + (order.ttlMs ?? 300_000)).toISOString(),
        signer_version_id: id,
        params: order.params ?? {},
      });
    },
  };
}

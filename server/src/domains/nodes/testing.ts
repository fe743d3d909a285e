import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign, verify } from 'node:crypto';
import { type NodeTask, type NodeTaskResult, type SignerVersion, signedText } from '@gpuaas/contract/node';
import pg from 'pg';
import { type Act, actsOf, makeAct, type Viewer } from '../../kernel/act.ts';
import { makeTestClock, type TestClock } from '../../kernel/clock.ts';
import { systemIds } from '../../kernel/id.ts';
import { makeSeal, sealingKeyBytes } from '../../kernel/secrets/seal.ts';
import { silentLog } from '../../kernel/telemetry/log.ts';
import type { DatabasePort } from '../../ports/database/port.ts';
import { openPostgres } from '../../ports/database/postgres.ts';
import { openTestSchema, type TestSchema } from '../../testing/schema.ts';
import { asSystem } from '../../testing/world.ts';
import { openTaskSigners, type TaskSigners } from './signers/signers.ts';

/** A host as the control plane knows it, with the key that only the host has. */
export interface TestNode {
  readonly id: string;
  readonly key: KeyObject;
}

/** Nodes, keys and tasks over a real database, at a time that stands still. */
export interface NodesWorld {
  readonly schema: TestSchema;
  readonly root: pg.Client;
  readonly clock: TestClock;
  readonly database: DatabasePort;
  readonly signers: TaskSigners;
  readonly begin: ReturnType<typeof actsOf>;
  node(state?: string): Promise<TestNode>;
  /** What a node does itself. */
  actOf(nodeId: string, action: string): Act;
  close(): Promise<void>;
}

const sealingKey = randomBytes(sealingKeyBytes);
export const testSeal = () => makeSeal([{ id: 'test', key: sealingKey }]);

export async function openNodesWorld(): Promise<NodesWorld> {
  const schema = await openTestSchema();
  const root = new pg.Client({ connectionString: schema.url });
  await root.connect();
  const clock = makeTestClock(new Date());
  const database = await openPostgres({
    url: schema.as('gpuaas_api'),
    clock,
    ids: systemIds,
    log: silentLog,
    name: 'test',
    poolSize: 8,
  });
  const begin = actsOf('nodes', systemIds);
  const signers = await openTaskSigners({
    db: database.database,
    begin,
    ids: systemIds,
    clock,
    log: silentLog,
    seal: testSeal(),
    overlapSeconds: () => 120,
    graceHours: () => 24,
    listen: database.listen,
  });
  await seedCatalog(root);
  return {
    schema,
    root,
    clock,
    database,
    signers,
    begin,
    node: (state) => insertNode(root, state),
    actOf: (nodeId, action) => makeAct(nodeViewer(nodeId), action, systemIds.next()),
    async close() {
      await signers.close();
      await database.close();
      await root.end();
      await schema.close();
    },
  };
}

const nodeViewer = (nodeId: string): Viewer => ({
  actorId: nodeId,
  actorKind: 'node',
  actorRole: 'none',
  reach: 'platform',
  organizationId: undefined,
  projectId: undefined,
  correlationId: systemIds.next(),
  traceparent: undefined,
  address: undefined,
  userAgent: undefined,
});

/** A region and a SKU, so that nodes can be somewhere and something. */
export async function seedCatalog(root: pg.Client): Promise<void> {
  await asSystem(root, `insert into regions (slug, name) values ('test', 'Test') on conflict do nothing`, []);
  await asSystem(
    root,
    `insert into skus (slug, vendor, display_name, gpu_model, gpu_memory_mib, capacity_shape, gpus_total,
       allowed_gpu_counts, billing_unit)
     values ('test-sku', 'nvidia', 'Test', 'NVIDIA H200', 143771, 'gpu_slice', 8, '{1,2,4,8}', 'gpu_hour')
     on conflict do nothing`,
    [],
  );
}

/** The ways from its birth to a state, by the edges of the machine. */
const waysTo: Readonly<Record<string, readonly string[]>> = {
  bootstrap_issued: [],
  enrolling: ['enrolling'],
  active: ['enrolling', 'active'],
  offline: ['enrolling', 'active', 'offline'],
  quarantined: ['enrolling', 'quarantined'],
  draining: ['enrolling', 'active', 'draining'],
  retired: ['enrolling', 'active', 'retired'],
  removing: ['enrolling', 'active', 'retired', 'removing'],
};
export async function insertNode(root: pg.Client, state = 'active'): Promise<TestNode> {
  const id = systemIds.next();
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  await asSystem(
    root,
    `insert into nodes (id, name, region, sku, gpus_total, result_key) values ($1, $2, 'test', 'test-sku', 8, $3)`,
    [id, `node-${id.slice(-12)}`, publicKey.export({ format: 'jwk' }).x],
  );
  for (const to of waysTo[state] ?? []) {
    await asSystem(root, 'update nodes set state = $2, version = version + 1 where id = $1', [id, to]);
  }
  return { id, key: privateKey };
}

/** What an honest host says about a task. */
export function resultOf(
  node: TestNode,
  task: NodeTask,
  about: Partial<Omit<NodeTaskResult, 'signature'>> = {},
): NodeTaskResult {
  const result = {
    task_id: task.task_id,
    node_id: task.node_id,
    task_type: task.task_type,
    generation: task.generation,
    outcome: 'succeeded' as const,
    started_at: task.issued_at,
    finished_at: task.issued_at,
    ...about,
  };
  return { ...result, signature: sign(null, Buffer.from(signedText(result)), node.key).toString('base64url') };
}

/** Whether an agent that was told of these keys would obey. */
export function isObeyed(task: NodeTask, accepted: readonly SignerVersion[]): boolean {
  const signer = accepted.find(({ signer_version_id }) => signer_version_id === task.signer_version_id);
  if (!signer) return false;
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: signer.public_key }, format: 'jwk' });
  return verify(null, Buffer.from(signedText(task)), key, Buffer.from(task.signature, 'base64url'));
}

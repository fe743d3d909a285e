import { hash, X509Certificate } from 'node:crypto';
import type { PolicyKey } from '@gpuaas/contract';
import type { JsonGeneralName } from '@peculiar/x509';
import pg from 'pg';
import { openNodeDoor, openSigners } from '../../bin/api/nodes.ts';
import { makeTasks, type TaskSigners, type Tasks } from '../../domains/nodes/index.ts';
import { insertNode, seedCatalog, testSeal } from '../../domains/nodes/testing.ts';
import { openPolicies } from '../../domains/policy/index.ts';
import { makeScope } from '../../kernel/access/scope.ts';
import { actsOf } from '../../kernel/act.ts';
import { systemClock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { systemIds } from '../../kernel/id.ts';
import { silentLog } from '../../kernel/telemetry/log.ts';
import { type Metrics, makeMetrics } from '../../kernel/telemetry/metrics.ts';
import { openEmbeddedAuthority } from '../../ports/certificates/embedded.ts';
import { type Issuer, importIssuer, makeLeaf } from '../../ports/certificates/issuing.ts';
import { makeRequest, readRequest } from '../../ports/certificates/request.ts';
import type { DatabasePort } from '../../ports/database/port.ts';
import { openPostgres } from '../../ports/database/postgres.ts';
import type { Objects } from '../../ports/objects/port.ts';
import { enrolAgent, type Identity, type TestAgent } from '../../testing/node-client.ts';
import { openTestObjects } from '../../testing/objects.ts';
import { openTestSchema } from '../../testing/schema.ts';
import { asSystem } from '../../testing/world.ts';
import { makeRateLimit } from '../http/admission/rate-limit.ts';
import type { NodeLimits } from './budget.ts';
import type { NodeListener } from './listener.ts';

/** The door of nodes over a real database and a real authority, in real time: TLS knows no other. */
export interface DoorWorld {
  readonly root: pg.Client;
  readonly database: DatabasePort;
  readonly objects: Objects;
  readonly door: NodeListener;
  readonly roots: string;
  readonly fingerprint: string;
  readonly signers: TaskSigners;
  readonly tasks: Tasks;
  readonly metrics: Metrics;
  readonly begin: ReturnType<typeof actsOf>;
  /** A node that waits for its host, and a token for it. */
  token(options?: { purpose?: string; expires?: string; nodeId?: string }): Promise<{ nodeId: string; token: string }>;
  agent(): Promise<TestAgent>;
  /** A certificate from our own authority that says whatever is asked. */
  forge(leaf: {
    readonly commonName: string;
    readonly names: readonly JsonGeneralName[];
    readonly use?: 'client' | 'server';
    readonly expired?: boolean;
    readonly by?: Issuer;
  }): Promise<Pick<Identity, 'certificate' | 'key'>>;
  queue(nodeId: string, ttlSeconds?: number): Promise<string>;
  close(): Promise<void>;
}

export async function openDoorWorld(
  overrides: Partial<Record<PolicyKey, number | boolean | string>> = {},
  options: { readonly handshakeMs?: number; readonly limits?: NodeLimits } = {},
): Promise<DoorWorld> {
  const schema = await openTestSchema();
  const root = new pg.Client({ connectionString: schema.url });
  await root.connect();
  await seedCatalog(root);
  const scope = makeScope(silentLog);
  const common = { clock: systemClock, ids: systemIds, log: silentLog, metrics: makeMetrics('test', '0'), scope };
  const database = scope.keep(
    'database',
    await openPostgres({ url: schema.as('gpuaas_api'), ...common, name: 'test', poolSize: 10 }),
  );
  const objects = scope.keep('objects', await openTestObjects());
  const parts = { ...common, database, objects };
  const seal = testSeal();
  const certificates = scope.keep('certificates', await openEmbeddedAuthority(schema, { clock: systemClock, seal }));
  const policies = scope.keep(
    'policies',
    await openPolicies({
      ...database,
      db: database.database,
      ...common,
      overrides: { 'rate_limit.credential_attempts_per_minute': 1_000_000, ...overrides },
    }),
  );
  const counts = new Map<string, number>();
  const rateLimit = makeRateLimit({
    cache: {
      hit: async (key, _window, by) => {
        counts.set(key, (counts.get(key) ?? 0) + (by ?? 1));
        return { count: counts.get(key) ?? 0, resetMs: 60_000 };
      },
      // Nodes have no route in a lane that slides.
      admit: async () => ({ allowed: true, count: 1, resetMs: 60_000 }),
    },
    clock: systemClock,
    policy: policies.number,
    onFault: () => undefined,
  });
  const signers = await openSigners(parts, { seal, policies });
  const door = await openNodeDoor(parts, {
    host: '127.0.0.1',
    port: 0,
    names: ['127.0.0.1'],
    ...(options.handshakeMs !== undefined && { handshakeMs: options.handshakeMs }),
    ...(options.limits && { limits: options.limits }),
    certificates,
    policies,
    signers,
    rateLimit,
  });
  const tasks = makeTasks({ ids: systemIds, clock: systemClock, signer: signers });
  const begin = actsOf('nodes', systemIds);
  const { roots, fingerprint } = await certificates.authority();
  const world: DoorWorld = {
    root,
    database,
    objects,
    door,
    roots,
    fingerprint,
    signers,
    tasks,
    metrics: common.metrics,
    begin,
    async token({ purpose = 'enrol', expires = '1 hour', nodeId } = {}) {
      const id = nodeId ?? (await insertNode(root, 'bootstrap_issued')).id;
      const token = `gpuaas_node_${systemIds.secret(24)}`;
      await asSystem(
        root,
        `insert into node_enrolments (id, node_id, purpose, token_hash, expires_at)
         values ($1, $2, $3, $4, now() + $5::interval)`,
        [systemIds.next(), id, purpose, hash('sha256', token, 'buffer'), expires],
      );
      return { nodeId: id, token };
    },
    async agent() {
      const { token } = await world.token();
      return (await enrolAgent({ port: door.port, roots }, token)).agent;
    },
    async forge(leaf) {
      const { rows } = await root.query<{ certificate: string; sealed_key: Buffer }>(
        `select certificate, sealed_key from gpuaas_pki.issuer where kind = 'intermediate' order by id desc limit 1`,
      );
      const [row] = rows;
      if (!row) throw new Error('there is no authority');
      const place = `authority ${new X509Certificate(row.certificate).fingerprint256}`;
      const issuer = leaf.by ?? (await importIssuer(row.certificate, seal.open(row.sealed_key, place)));
      const { pem, privateKey } = await makeRequest(undefined);
      const request = await readRequest(pem);
      if (request instanceof Fault) throw request;
      const hourMs = 3_600_000;
      const made = await makeLeaf(issuer, {
        publicKey: request.publicKey,
        commonName: leaf.commonName,
        names: leaf.names,
        use: leaf.use ?? 'client',
        notBefore: new Date(Date.now() - 2 * hourMs),
        notAfter: new Date(Date.now() + (leaf.expired ? -hourMs : hourMs)),
      });
      const chain = [made, issuer.certificate].map((one) => one.toString('pem')).join('\n');
      return { certificate: chain, key: privateKey };
    },
    async queue(nodeId, ttlSeconds = 60) {
      const { value } = await database.database.write(begin('test.queue', { correlationId: 'c' }), async (tx) => {
        const id = await tasks.queueTask(tx, {
          nodeId,
          type: 'diag.health_probe',
          params: {},
          generation: 1,
          ttlSeconds,
          correlationId: 'c',
        });
        return tx.commit(id, { target: { type: 'node_task', id }, events: 'none' });
      });
      return value;
    },
    async close() {
      const late = await scope.close(10_000);
      await root.end();
      await schema.close();
      if (late.length > 0) throw new Error(`did not close in time: ${late.join(', ')}`);
    },
  };
  return world;
}

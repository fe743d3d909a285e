import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type NodeAgent, openAgent } from '@gpuaas/agent';
import { controlPlaneSpiffeId } from '@gpuaas/contract/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HostDouble, makeHostDouble } from '../../../agent/src/testing/host-double.ts';
import { watchNodes } from '../../src/bin/provisioning-worker/nodes.ts';
import { answerOf, makeOnboard, revokeNode } from '../../src/domains/nodes/index.ts';
import { eventually } from '../../src/domains/outbox/testing.ts';
import { openPolicies } from '../../src/domains/policy/index.ts';
import { type DoorWorld, openDoorWorld } from '../../src/edge/nodes/testing.ts';
import { makeScope } from '../../src/kernel/access/scope.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { systemIds } from '../../src/kernel/id.ts';
import { silentLog } from '../../src/kernel/telemetry/log.ts';
import { runSaga } from '../../src/testing/sagas.ts';

const within = { timeout: 15_000 };

/** The agent that ships, against the door that ships. */
describe('a host and its agent', () => {
  let world: DoorWorld;
  let stateDir: string;
  let host: HostDouble;
  let agent: NodeAgent;
  let nodeId: string;
  const scope = makeScope(silentLog);
  beforeAll(async () => {
    world = await openDoorWorld();
    stateDir = await mkdtemp(join(tmpdir(), 'gpuaas-agent-'));
    host = makeHostDouble();
    const { database, metrics, tasks } = world;
    const common = { clock: systemClock, ids: systemIds, log: silentLog };
    const policies = scope.keep('policies', await openPolicies({ ...database, db: database.database, ...common }));
    const onboard = makeOnboard({
      db: database.database,
      tasks,
      taskSeconds: () => policies.number('node.task_ttl_seconds'),
      tenants: { notify: async () => 0 },
    });
    const asked = { topology: 'slice.topology_discover', health: 'diag.health_probe' } as const;
    await watchNodes(
      { database, metrics, scope, ...common },
      {
        policies,
        lease: undefined,
        // The saga that ships, in memory: its answers are what the host said.
        onNewcomer: async (_, newcomer) => {
          const answer = (step: string) =>
            eventually(async () => {
              const { rows } = await world.root.query(
                `select id, state, result from node_tasks
                 where node_id = $1 and task_type = $2 and finished_at is not null`,
                [newcomer.nodeId, asked[step as keyof typeof asked]],
              );
              return rows[0] && answerOf(rows[0]);
            });
          // Its end shows in the state of the node, which the test waits for.
          runSaga(onboard, { params: newcomer, look: () => 0, answer }).catch(() => undefined);
        },
      },
    );
  });
  afterAll(async () => {
    await agent?.close();
    await scope.close(5_000);
    await world?.close();
    await rm(stateDir, { recursive: true, force: true, maxRetries: 5 });
  });
  const open = (token: string) =>
    openAgent({
      host,
      settings: {
        url: new URL(`https://127.0.0.1:${world.door.port}`),
        stateDir,
        agentVersion: '1.0.0-test',
        peerId: controlPlaneSpiffeId,
        enrolment: { token, caFingerprint: world.fingerprint },
        forcesToDisk: false,
        closeGraceMs: 0,
      },
    });
  const one = async (text: string) => (await world.root.query(text, [nodeId])).rows[0]?.value as unknown;

  it('enrols by a pinned token, reports, is admitted, and says what it is made of', async () => {
    const offer = await world.token();
    nodeId = offer.nodeId;
    agent = await open(offer.token);
    expect(agent.nodeId).toBe(nodeId);
    await agent.connected;
    await expect.poll(() => one('select state as value from nodes where id = $1'), within).toBe('active');
    await expect
      .poll(() => one(`select topology ->> 'hostname' as value from nodes where id = $1`), within)
      .toBe('double');
  });

  it('does a task once, and its signed result is kept', async () => {
    const id = await world.queue(nodeId);
    await expect
      .poll(
        async () => (await world.root.query('select state from node_tasks where id = $1', [id])).rows[0].state,
        within,
      )
      .toBe('succeeded');
    const { rows } = await world.root.query(
      `select result ->> 'signature' as signature from node_tasks where id = $1`,
      [id],
    );
    expect(rows[0].signature).toMatch(/^[\w-]{86}$/);
    expect(agent.status().refused).toEqual({});
  });

  it('comes back after a restart with what it has, and needs no new token', async () => {
    await agent.close();
    agent = await open('gpuaas_node_that-is-not-looked-at');
    await agent.connected;
    const id = await world.queue(nodeId);
    await expect
      .poll(
        async () => (await world.root.query('select state from node_tasks where id = $1', [id])).rows[0].state,
        within,
      )
      .toBe('succeeded');
  });

  it('is cut off when it is revoked, and recovers with an operator’s token', async () => {
    await world.database.database.write(world.begin('test.revoke', { correlationId: 'c' }), async (tx) => {
      await revokeNode(tx, nodeId, 'a test');
      return tx.commit(undefined, { target: { type: 'node', id: nodeId }, events: 'none' });
    });
    const refused = async () =>
      Number(
        /gpuaas_node_requests_total\{[^}]*status_class="4xx"[^}]*\} (\d+)/.exec(await world.metrics.scrape())?.[1] ?? 0,
      );
    await expect.poll(refused, within).toBeGreaterThan(0);
    const { token } = await world.token({ purpose: 'recover', nodeId });
    await agent.recover({ token, caFingerprint: world.fingerprint });
    const id = await world.queue(nodeId);
    await expect
      .poll(async () => (await world.root.query('select state from node_tasks where id = $1', [id])).rows[0].state, {
        timeout: 60_000,
      })
      .toBe('succeeded');
  }, 90_000);
});

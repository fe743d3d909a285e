import { randomUUID, X509Certificate } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type NodeAgent, openAgent, openSimulatedHost, type SimulatedHost } from '@gpuaas/agent';
import type { NodeTaskType, TaskParams } from '@gpuaas/contract/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DoorWorld, openDoorWorld } from '../../src/edge/nodes/testing.ts';
import { systemClock } from '../../src/kernel/clock.ts';

/** The agent that hosts get and the door that the control plane has, with nothing in between but TLS. */
describe('an agent and the control plane', () => {
  let world: DoorWorld;
  let folder: string;
  let host: SimulatedHost;
  const agents: NodeAgent[] = [];
  beforeAll(async () => {
    world = await openDoorWorld();
    folder = await mkdtemp(join(tmpdir(), 'gpuaas-journey-'));
    const pace = { speed: Number.POSITIVE_INFINITY };
    host = await openSimulatedHost({ folder: join(folder, 'host'), clock: systemClock, pace, seed: 'journey' });
  });
  afterAll(async () => {
    for (const agent of agents) await agent.close();
    await host.close();
    await world.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  const open = async (name: string, given?: { readonly token: string }) => {
    const { fingerprint256 } = new X509Certificate(world.roots);
    const agent = await openAgent({
      host,
      settings: {
        url: new URL(`https://127.0.0.1:${world.door.port}`),
        stateDir: join(folder, name),
        agentVersion: '1.0.0',
        ...(given && { enrolment: { token: given.token, caFingerprint: fingerprint256 } }),
      },
    });
    agents.push(agent);
    await agent.connected;
    return agent;
  };
  const queue = async <T extends NodeTaskType>(nodeId: string, type: T, params: TaskParams<T>): Promise<string> => {
    const { value } = await world.database.database.write(
      world.begin('test.queue', { correlationId: 'c' }),
      async (tx) => {
        const order = { nodeId, type, params, generation: 1, ttlSeconds: 60, correlationId: 'c' };
        const id = await world.tasks.queueTask(tx, order);
        return tx.commit(id, { target: { type: 'node_task', id }, events: 'none' });
      },
    );
    return value;
  };
  const row = async (text: string, id: string) => (await world.root.query(text, [id])).rows[0];
  /** Looks until the row says so. */
  const settled = async (taskId: string) => {
    for (;;) {
      const task = await row('select state from node_tasks where id = $1', taskId);
      if (task.state !== 'queued' && task.state !== 'dispatched') return task;
      await systemClock.sleep(20);
    }
  };

  it('enrol, report, look at the host, make a slice, take it down, and survive a restart', async () => {
    const { nodeId, token } = await world.token();
    const first = await open('one', { token });
    expect(first.nodeId).toBe(nodeId);
    const looked = await settled(await queue(nodeId, 'slice.topology_discover', {}));
    expect(looked).toMatchObject({ state: 'succeeded' });
    await first.close();

    const second = await open('one');
    const [slot] = host.hardware.slots;
    if (!slot) throw new Error('the simulated host has no slots');
    const { blockers: _, gpu_model, gpu_memory_mib, ...device } = { blockers: [], ...slot };
    const slots = [{ slot_id: randomUUID(), ...device }];
    const allocation_id = randomUUID();
    const made = await settled(
      await queue(nodeId, 'slice.vm_provision', {
        allocation_id,
        hostname: 'slice-one',
        slots,
        profile: { name: 'h200_1g', vcpus: 24, memory_mib: 65_536 },
        image: { slug: 'ubuntu-24.04-h200-cuda', digest: `sha256:${'a'.repeat(64)}`, driver_strategy: 'preinstalled' },
        login: { username: 'u-alice', uid: 20_001, gid: 20_001 },
        authorized_keys: [],
        lease: { deadline_at: null },
        expect: { gpu_model, gpu_uuids: [slot.gpu_uuid], gpu_memory_mib },
      }),
    );
    expect(made).toMatchObject({ state: 'succeeded' });
    expect(second.status().leases).toBe(1);
    const ended = await settled(
      await queue(nodeId, 'slice.vm_release', {
        allocation_id,
        slots,
        isolation_model: 'user-revoke',
        grace_seconds: 1,
      }),
    );
    expect(ended).toMatchObject({ state: 'succeeded' });
    expect(second.status().leases).toBe(0);
  });

  it('find together again when an operator gives a node a token to recover with', async () => {
    const { nodeId, token } = await world.token();
    const agent = await open('two', { token });
    const before = agent.status().certificateValidTo;
    const recovery = await world.token({ purpose: 'recover', nodeId });
    await agent.recover({ token: recovery.token });
    expect(agent.status().certificateValidTo.getTime()).toBeGreaterThanOrEqual(before.getTime());
    expect(await settled(await queue(nodeId, 'diag.health_probe', {}))).toMatchObject({ state: 'succeeded' });
    // What was spent is spent.
    await expect(agent.recover({ token: recovery.token })).rejects.toThrow('401');
  });
});

import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NodeTaskType } from '@gpuaas/contract/node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../clock.ts';
import { ordersFor } from '../host/conformance-rig.ts';
import type { Host } from '../host/port.ts';
import { openSimulatedHost } from '../host/simulated/host.ts';
import { resultOf } from '../testing/control-plane.ts';
import { openTestGateway, type TestGateway } from '../testing/terminal-gateway.ts';
import { isRunning, login } from '../testing/terminal-rig.ts';
import { type AgentWorld, makeAgentWorld } from '../testing/world.ts';

/** A whole agent with its line to a control plane, real terminals, and a gateway. */
let world: AgentWorld;
let gateway: TestGateway;
let host: Host;
let folder: string;
const allocationId = randomUUID();
beforeEach(async () => {
  world = await makeAgentWorld();
  gateway = await openTestGateway(world.plane.authority);
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-open-'));
  await chmod(folder, 0o711);
  host = await openSimulatedHost({ seed: 'open', folder, clock: systemClock, pace: { speed: 20_000 } });
  await (await world.open({ host })).connected;
  const { user } = await ordersFor(host, login);
  await expect(done('allocation.provision_user', user(allocationId))).resolves.toMatchObject({ outcome: 'succeeded' });
});
afterEach(async () => {
  await world.close();
  await host.close();
  await gateway.close();
  await rm(folder, { recursive: true, force: true });
});

function give(type: NodeTaskType, params: object, generation = 1) {
  const task = world.plane.signer.task({ nodeId: world.plane.nodeId, type, params, generation });
  world.plane.give(task);
  return task;
}
async function done(type: NodeTaskType, params: object, generation = 1) {
  const task = give(type, params, generation);
  await world.plane.until(() => resultOf(world.plane, task) !== undefined);
  return resultOf(world.plane, task);
}
const order = (other: object = {}) => ({
  ...{ allocation_id: allocationId, session_id: randomUUID(), login, name: 'shell 1', columns: 80, rows: 24 },
  ends_at: new Date(Date.now() + 3_600_000).toISOString(),
  ...{ gateway_url: gateway.url, grace_seconds: 30, idle_seconds: 0, ring_bytes: 262_144, recording: 'off' },
  ...other,
});

describe('the task terminal.open', () => {
  it('dials the gateway with the certificate of the node, and succeeds when bytes can flow', async () => {
    const task = give('terminal.open', order());
    const home = await gateway.next();
    expect(gateway.peers).toEqual([`URI:spiffe://gpuaas/node/${world.plane.nodeId}`]);
    expect(resultOf(world.plane, task)).toBeUndefined();
    home.say({ type: 'resume', from: 0 });
    await world.plane.until(() => resultOf(world.plane, task) !== undefined);
    expect(resultOf(world.plane, task)).toMatchObject({ outcome: 'succeeded', output: {} });
    home.type('echo "all"-well\n');
    await home.until(() => home.output.includes('all-well'));
  });

  it('is over with the allocation: releasing it ends the shell, and later tasks are refused', async () => {
    give('terminal.open', order());
    const home = await gateway.next();
    home.say({ type: 'resume', from: 0 });
    const gone = await done('allocation.revoke_user', { allocation_id: allocationId, login });
    expect(gone).toMatchObject({ outcome: 'succeeded' });
    expect(home.frames.at(-1)?.type).toBe('exit');
    expect(await isRunning(home.greeting.pid)).toBe(false);
    expect(await done('terminal.open', order())).toMatchObject({ outcome: 'failed' });
  });

  it('ends with the agent', async () => {
    give('terminal.open', order());
    const home = await gateway.next();
    home.say({ type: 'resume', from: 0 });
    await world.close();
    expect(await home.closed).toBe(1000);
    expect(await isRunning(home.greeting.pid)).toBe(false);
    world = await makeAgentWorld();
  });

  it('starts nothing for params that are hostile or for a login that is not here', async () => {
    const hostile = [
      { gateway_url: 'ws://127.0.0.1:1' },
      { gateway_url: 'wss://user:word@host' },
      { gateway_url: `${gateway.url}/../x` },
      { session_id: '../../etc/passwd' },
      { login: { ...login, username: 'root; reboot' } },
      { login: { ...login, uid: 0 } },
      { name: '\u001b]0;title' },
      { columns: 0 },
      { columns: 1_000_000 },
      { ring_bytes: 1e12 },
      { grace_seconds: -1 },
      { command: 'id' },
    ];
    for (const other of hostile) {
      const refused = await done('terminal.open', order(other));
      expect(refused, JSON.stringify(other)).toMatchObject({ outcome: 'failed', failure: { code: 'bad_params' } });
    }
    const stranger = order({ login: { ...login, username: 'mallory' } });
    expect(await done('terminal.open', stranger)).toMatchObject({ failure: { code: 'not_found' } });
    expect(gateway.peers).toEqual([]);
  });

  it('starts nothing for a lease that is not here, or with a generation that was overtaken', async () => {
    const absent = await done('terminal.open', order({ allocation_id: randomUUID() }));
    expect(absent).toMatchObject({ outcome: 'failed', failure: { code: 'lease_not_held' } });
    const { user } = await ordersFor(host, login);
    expect(await done('allocation.provision_user', user(allocationId), 3)).toMatchObject({ outcome: 'succeeded' });
    const stale = await done('terminal.open', order(), 2);
    expect(stale).toMatchObject({ outcome: 'failed', failure: { code: 'stale_generation' } });
    expect(gateway.peers).toEqual([]);
  });
});

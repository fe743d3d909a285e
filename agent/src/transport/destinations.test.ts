import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NodeTaskType } from '@gpuaas/contract/node';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../clock.ts';
import { ordersFor } from '../host/conformance-rig.ts';
import { openSimulatedHost } from '../host/simulated/host.ts';
import { resultOf } from '../testing/control-plane.ts';
import { openTestGateway } from '../testing/terminal-gateway.ts';
import { login } from '../testing/terminal-rig.ts';
import { type AgentWorld, makeAgentWorld } from '../testing/world.ts';

/** Every address that a socket of this process tries, by whatever library. */
function watchConnections(): Set<string> {
  const tried = new Set<string>();
  const connect = Socket.prototype.connect;
  vi.spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket, ...given: unknown[]) {
    this.on('connectionAttempt', (address: string, port: number) => tried.add(`${address}:${port}`));
    return Reflect.apply(connect, this, given) as Socket;
  });
  return tried;
}
const portOf = (url: string | URL) => Number(new URL(url).port);
const ports = (tried: ReadonlySet<string>) => [...new Set([...tried].map((one) => Number(one.split(':').at(-1))))];

const endings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const end of endings.splice(0).reverse()) await end();
});

async function perform(world: AgentWorld, type: NodeTaskType, params: object) {
  const task = world.plane.signer.task({ nodeId: world.plane.nodeId, type, params, generation: 1 });
  world.plane.give(task);
  await world.plane.until(() => resultOf(world.plane, task) !== undefined);
  return resultOf(world.plane, task);
}

describe('an agent connects', () => {
  it('to the control plane alone while it enrols, reports and does tasks, and to the gateway of a signed task', async () => {
    const world = await makeAgentWorld();
    endings.push(() => world.close());
    const gateway = await openTestGateway(world.plane.authority);
    endings.push(() => gateway.close());
    const folder = await mkdtemp(join(tmpdir(), 'gpuaas-destinations-'));
    endings.push(() => rm(folder, { recursive: true, force: true }));
    await chmod(folder, 0o711);
    const host = await openSimulatedHost({ seed: 'aim', folder, clock: systemClock, pace: { speed: 20_000 } });
    endings.push(() => host.close());

    const tried = watchConnections();
    await (await world.open({ host })).connected;
    const allocation = randomUUID();
    const { user } = await ordersFor(host, login);
    expect(await perform(world, 'allocation.provision_user', user(allocation))).toMatchObject({ outcome: 'succeeded' });
    expect(ports(tried)).toEqual([portOf(world.plane.url)]);

    const opening = perform(world, 'terminal.open', {
      ...{ allocation_id: allocation, session_id: randomUUID(), login, name: 'shell 1', columns: 80, rows: 24 },
      ends_at: new Date(Date.now() + 3_600_000).toISOString(),
      ...{ gateway_url: gateway.url, grace_seconds: 0, idle_seconds: 0, ring_bytes: 262_144, recording: 'off' },
    });
    (await gateway.next()).say({ type: 'resume', from: 0 });
    expect(await opening).toMatchObject({ outcome: 'succeeded' });
    expect(ports(tried)).toEqual([portOf(world.plane.url), portOf(gateway.url)]);
  });
});

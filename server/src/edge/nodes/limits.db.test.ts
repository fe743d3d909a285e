import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { makeNodeClient } from '../../testing/node-client.ts';
import { type DoorWorld, openDoorWorld } from './testing.ts';

const limits = { callsPerMinute: 5, connections: 2, strangers: { perAddress: 3, inTotal: 10 } };

/** For a busy machine: it ends as soon as the condition holds. */
const patience = { timeout: 60_000, interval: 20 };

describe('what one node may ask of the door', () => {
  let world: DoorWorld;
  beforeAll(async () => {
    world = await openDoorWorld({}, { limits });
  });
  afterAll(() => world.close());

  /** What the audit log says of the refusals of a node. */
  const audited = async (nodeId: string) => {
    const { rows } = await world.root.query(
      `select actor_kind, target_type, change ->> 'limit' as limit, result from audit_logs
       where action = 'rate_limit.block' and actor_id = $1 and target_id = $1`,
      [nodeId],
    );
    return rows;
  };
  const row = { actor_kind: 'node', target_type: 'node', result: 'failure' };

  it('is a number of calls a minute; the others do not feel it', async () => {
    const [greedy, modest] = [await world.agent(), await world.agent()];
    const ask = (agent: typeof greedy) => agent.client.call('POST', agent.path('heartbeat'), { body: {} });
    const statuses: number[] = [];
    for (let call = 0; call < 8; call += 1) statuses.push((await ask(greedy)).status);
    expect(statuses.slice(0, 5)).toEqual([400, 400, 400, 400, 400]);
    expect(statuses).toContain(429);
    expect((await ask(modest)).status).toBe(400);
    expect(await world.metrics.scrape()).toMatch(/gpuaas_node_refusals_total\{[^}]*limit="calls"[^}]*\} [1-9]/);
    greedy.client.close();
    modest.client.close();
  });

  /** Asks until so many calls were refused. */
  const refuse = async (agent: Awaited<ReturnType<typeof world.agent>>, times: number) => {
    for (let refused = 0; refused < times; ) {
      const { status } = await agent.client.call('POST', agent.path('heartbeat'), { body: {} });
      if (status === 429) refused += 1;
    }
  };

  it('is audited once in a minute, however often the node is refused', async () => {
    const agent = await world.agent();
    await refuse(agent, 8);
    await vi.waitFor(async () => expect(await audited(agent.nodeId)).toEqual([{ ...row, limit: 'calls' }]), patience);
    // The queue writes in order: when a refusal of another node is there, no row of this one waits.
    const other = await world.agent();
    await refuse(other, 1);
    await vi.waitFor(async () => expect(await audited(other.nodeId)).toHaveLength(1), patience);
    expect(await audited(agent.nodeId)).toHaveLength(1);
    agent.client.close();
    other.client.close();
  });

  /** A connection that says nothing. It is closed when the other side ends it. */
  const connectTo = async (identity?: { readonly certificate: string; readonly key: string }) => {
    const shown = identity ? { cert: identity.certificate, key: identity.key } : {};
    const socket = connect({ host: '127.0.0.1', port: world.door.port, ca: world.roots, ...shown });
    sockets.push(socket);
    socket.on('error', () => undefined);
    await once(socket, 'secureConnect');
    // Read, or the end of the other side would never be seen.
    socket.resume();
    return socket;
  };
  const sockets: TLSSocket[] = [];
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
  });

  it('is a number of connections: one more ends the oldest of that node', async () => {
    const identity = await world.agent();
    identity.client.close();
    await vi.waitFor(() => expect(world.door.connections).toBe(0), patience);
    const first = await connectTo(identity);
    await vi.waitFor(() => expect(world.door.connections).toBe(1), patience);
    const second = await connectTo(identity);
    await vi.waitFor(() => expect(world.door.connections).toBe(2), patience);
    const gone = once(first, 'close');
    const third = await connectTo(identity);
    await gone;
    await vi.waitFor(() => expect(world.door.connections).toBe(2), patience);
    expect([second.closed, third.closed]).toEqual([false, false]);
    const connectionRow = [{ ...row, limit: 'connections' }];
    await vi.waitFor(async () => expect(await audited(identity.nodeId)).toEqual(connectionRow), patience);
    expect(await world.metrics.scrape()).toMatch(/gpuaas_node_refusals_total\{[^}]*limit="connections"[^}]*\} 1/);
    for (const socket of [second, third]) socket.destroy();
  });

  it('leaves few seats to those without a certificate, and the fleet does not feel them', async () => {
    const seated = async () =>
      /gpuaas_node_stranger_connections\{[^}]*\} (\d+)/.exec(await world.metrics.scrape())?.[1];
    await vi.waitFor(async () => expect(await seated()).toBe('0'), patience);
    for (let each = 0; each < limits.strangers.perAddress; each += 1) await connectTo();
    await vi.waitFor(async () => expect(await seated()).toBe('3'), patience);
    const beyond = await connectTo();
    if (!beyond.closed) await once(beyond, 'close');
    expect(await world.metrics.scrape()).toMatch(/gpuaas_node_refusals_total\{[^}]*limit="strangers"[^}]*\} 1/);
    for (const socket of sockets) socket.destroy();
    await vi.waitFor(async () => expect(await seated()).toBe('0'), patience);
    const node = await world.agent();
    expect((await node.client.call('POST', node.path('heartbeat'), { body: {} })).status).toBe(400);
    node.client.close();
  });

  it('ends the connection of someone without a certificate with the answer', async () => {
    const stranger = makeNodeClient({ port: world.door.port, roots: world.roots });
    const reply = await stranger.call('POST', '/internal/v1/nodes/enrol', { body: {} });
    expect(reply.status).toBeGreaterThanOrEqual(400);
    expect(reply.headers['connection']).toBe('close');
    stranger.close();
  });
});

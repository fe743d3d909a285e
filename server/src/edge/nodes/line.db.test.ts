import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';
import { LineAnswer, lineProtocol, makeLineReader, type NodeTask, nodeTransport } from '@gpuaas/contract/node';
import { Check } from 'typebox/value';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, makeClient } from '../../../../agent/src/transport/client.ts';
import { revokeNode } from '../../domains/nodes/index.ts';
import { makeNodeClient, type TestAgent } from '../../testing/node-client.ts';
import { type DoorWorld, openDoorWorld } from './testing.ts';

const limitMs = 15_000;

describe('a node that says everything on one line', () => {
  let world: DoorWorld;
  let url: URL;
  const clients: Client[] = [];
  const sockets: TLSSocket[] = [];
  beforeAll(async () => {
    world = await openDoorWorld();
    url = new URL(`https://127.0.0.1:${world.door.port}`);
  });
  afterAll(async () => {
    for (const client of clients) client.close();
    for (const socket of sockets) socket.destroy();
    await world.close();
  });
  const newNode = async () => {
    const agent = await world.agent();
    const client = makeClient({ url, trust: world.roots, peerId: undefined, identity: agent });
    clients.push(client);
    return { agent, client };
  };
  const heartbeat = ({ path }: TestAgent, more: object = {}) => ({
    ...{ method: 'POST' as const, path: path('heartbeat'), limitMs },
    body: {
      boot_id: '00000000-0000-4000-8000-000000000000',
      agent_version: '1.0.0',
      sent_at: new Date().toISOString(),
      conditions: [],
      leases: [],
      running_tasks: [],
      ...more,
    },
  });
  const wait = ({ path }: TestAgent) => ({ method: 'GET' as const, path: path('tasks/wait'), limitMs });
  const waiting = () =>
    expect.poll(() => world.metrics.scrape(), { timeout: 10_000 }).toMatch(/gpuaas_node_waiting\{[^}]*\} [1-9]/);

  /** A line with nothing of ours at the other end. */
  const openRaw = async (agent: TestAgent) => {
    const identity = { cert: agent.certificate, key: agent.key };
    const socket = connect({ host: '127.0.0.1', port: world.door.port, ca: world.roots, ...identity });
    sockets.push(socket);
    socket.on('error', () => undefined);
    const { path } = nodeTransport.line;
    socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: ${lineProtocol}\r\n\r\n`);
    const [greeting] = (await once(socket, 'data')) as [Buffer];
    expect(greeting.toString()).toMatch(/^HTTP\/1\.1 101 /);
    const answers: LineAnswer[] = [];
    socket.on(
      'data',
      makeLineReader((line) => answers.push(JSON.parse(line) as LineAnswer)),
    );
    return { socket, answers };
  };

  it('waits, reports and answers on a single connection, and its task comes the moment it is queued', async () => {
    const { agent, client } = await newNode();
    const before = world.door.connections;
    const asked = client.call(wait(agent));
    expect(await client.call(heartbeat(agent))).toMatchObject({ status: 200, body: { state: 'enrolling' } });
    await waiting();
    const id = await world.queue(agent.nodeId);
    const { status, body } = await asked;
    expect({ status, id: (body as NodeTask).task_id }).toEqual({ status: 200, id });
    const result = agent.result(body as NodeTask, { output: { checks: {}, healthy: true } });
    const path = agent.path(`tasks/${id}/result`);
    expect((await client.call({ method: 'POST', path, body: result, limitMs })).status).toBe(204);
    expect(world.door.connections).toBe(before + 1);
  });

  it('speaks for itself alone, and is refused as over HTTP', async () => {
    const [{ agent, client }, { agent: other }] = [await newNode(), await newNode()];
    const refused = { status: 401, body: { code: 'node_certificate_invalid' } };
    expect(await client.call(wait(other))).toMatchObject(refused);
    expect(await client.call(heartbeat(other))).toMatchObject(refused);
    expect(await client.call(heartbeat(agent, { boot_id: 'x' }))).toMatchObject({ status: 400 });
    expect(await client.call(heartbeat(agent, { agent_version: 'x'.repeat(70_000) }))).toMatchObject({ status: 413 });
    expect(await client.call({ ...wait(agent), path: agent.path('everything') })).toMatchObject({ status: 404 });
    const release = agent.path(`releases/${'a'.repeat(64)}`);
    expect(await client.call({ ...wait(agent), path: release })).toMatchObject({ status: 404 });
    expect(await client.call({ ...heartbeat(agent), method: 'GET' })).toMatchObject({ status: 405 });
  });

  it('is cut off at once when it is revoked, and gets no other line', async () => {
    const { agent, client } = await newNode();
    const asked = client.call(wait(agent)).then(
      ({ status }) => status,
      () => 'cut',
    );
    await waiting();
    await world.database.database.write(world.begin('test.revoke', { correlationId: 'c' }), async (tx) => {
      await revokeNode(tx, agent.nodeId, 'a test');
      return tx.commit(undefined, { target: { type: 'node', id: agent.nodeId }, events: 'none' });
    });
    expect([204, 'cut']).toContain(await asked);
    const after = () =>
      client.call(heartbeat(agent)).then(
        ({ status }) => status,
        () => 'cut',
      );
    await expect.poll(after, { timeout: 30_000 }).toBe(401);
  });

  it('gives a line to nobody without the certificate of a node, nor to whoever offers another protocol', async () => {
    const stranger = makeNodeClient({ port: world.door.port, roots: world.roots });
    const headers = { connection: 'Upgrade', upgrade: lineProtocol };
    const { path } = nodeTransport.line;
    expect((await stranger.call('GET', path, { headers })).status).toBe(404);
    stranger.close();
    const { agent } = await newNode();
    expect((await agent.client.call('GET', path)).status).toBe(404);
    const other = { connection: 'Upgrade', upgrade: 'websocket' };
    expect((await agent.client.call('GET', path, { headers: other })).status).toBe(404);
    agent.client.close();
  });

  it('is cut off when it says what is no call, more at once than an agent has to say, or too much', async () => {
    const { agent } = await newNode();
    const call = (id: number) => JSON.stringify({ id, method: 'GET', path: agent.path('tasks/wait') });
    const { limitMs: _, ...beat } = heartbeat(agent);
    const many = Array.from({ length: 200 }, (_, at) => JSON.stringify({ ...beat, id: at + 1 }));
    for (const hostile of [
      '{',
      'null',
      '{"id":0,"method":"GET","path":"/"}',
      '{"id":1,"method":"PUT","path":"/"}',
      call(1).replace('}', ',"more":1}'),
      call(1).replace('{', '{"__proto__":{"admin":true},'),
      many.join('\n'),
      'x'.repeat(700_000),
    ]) {
      const { socket } = await openRaw(agent);
      const closed = new Promise((resolve) => socket.once('close', resolve));
      socket.write(`${hostile}\n`);
      await closed;
    }
  });

  it('is answered in the words of the contract, and hears the end of the door as the end of its line', async () => {
    const own = await openDoorWorld();
    const agent = await own.agent();
    const client = makeClient({
      ...{ url: new URL(`https://127.0.0.1:${own.door.port}`), trust: own.roots, peerId: undefined, identity: agent },
    });
    expect((await client.call(heartbeat(agent))).status).toBe(200);
    const asked = client.call(wait(agent)).then(
      ({ status }) => status,
      () => 'cut',
    );
    await expect.poll(() => own.metrics.scrape(), { timeout: 10_000 }).toMatch(/gpuaas_node_waiting\{[^}]*\} 1/);
    await own.close();
    expect([204, 'cut']).toContain(await asked);
    client.close();

    const { agent: raw } = await newNode();
    const { socket, answers } = await openRaw(raw);
    const { limitMs: _, ...said } = heartbeat(raw);
    socket.write(`${JSON.stringify({ ...said, id: 7 })}\n${JSON.stringify({ id: 8, method: 'POST', path: '/' })}\n`);
    await expect.poll(() => answers.length, { timeout: 10_000 }).toBe(2);
    for (const answer of answers) expect(Check(LineAnswer, answer)).toBe(true);
    expect(Object.fromEntries(answers.map(({ id, status }) => [id, status]))).toEqual({ 7: 200, 8: 404 });
  });
});

import { createConnection, type Socket } from 'node:net';
import { processCommonName, processSpiffeId } from '@gpuaas/contract/node';
import { terminalLimits, terminalPaths, terminalProtocols } from '@gpuaas/contract/terminal';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { systemIds } from '../../kernel/id.ts';
import { makeLog } from '../../kernel/telemetry/log.ts';
import { connectClient, startAgent, type TestAgent } from '../../testing/terminal-peers.ts';
import {
  makeTestAuthority,
  openTestApi,
  openTestGateway,
  type TestApi,
  type TestAuthority,
  type TestGateway,
  type TestIdentity,
} from './testing.ts';

let authority: TestAuthority;
let api: TestApi;
let gateway: TestGateway | undefined;
const agents: TestAgent[] = [];
const sockets: Socket[] = [];
beforeAll(async () => {
  authority = await makeTestAuthority();
  api = await openTestApi(authority);
});
afterEach(async () => {
  for (const agent of agents.splice(0)) agent.close();
  for (const socket of sockets.splice(0)) socket.destroy();
  await gateway?.close();
  gateway = undefined;
});
afterAll(() => api.close());
const open = async (options: Parameters<typeof openTestGateway>[2] = {}): Promise<TestGateway> => {
  gateway = await openTestGateway(authority, api, options);
  return gateway;
};
/** A session whose agent is at the gateway. */
const settle = async (at: TestGateway) => {
  const nodeId = systemIds.next();
  const session = api.openSession(nodeId);
  const agent = startAgent([at.nodePort], session, await authority.node(nodeId));
  agents.push(agent);
  await agent.connected();
  return { session, agent };
};
/** The status with which an upgrade was refused; 101 when it was not. */
const statusOf = (socket: WebSocket) =>
  new Promise<number | string>((resolve) => {
    socket.once('unexpected-response', (_, response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    socket.once('open', () => resolve(101));
    socket.on('error', (error) => resolve(error.message));
  });
const countOf = async (at: TestGateway, line: string) =>
  Number(
    (await at.scrape())
      .split('\n')
      .find((one) => one.startsWith(line))
      ?.split(' ')
      .at(-1) ?? 0,
  );

describe('the door of browsers', () => {
  it('takes a token once', async () => {
    const at = await open();
    const { session } = await settle(at);
    const token = api.mint(session);
    const first = connectClient(at.port, session, token);
    await expect.poll(() => first.frames.length).toBeGreaterThan(0);
    const replay = connectClient(at.port, session, token);
    const { code, reason } = await replay.closed;
    expect(code).toBe(4401);
    expect(reason).toMatch(/open the terminal again/);
    expect(first.socket.readyState).toBe(first.socket.OPEN);
    const other = connectClient(at.port, { allocationId: systemIds.next() }, api.mint(session));
    expect((await other.closed).code).toBe(4401);
  });

  it('refuses a token in the address, and writes tokens to no log and no answer', async () => {
    const lines: string[] = [];
    const log = makeLog('gateway', 'debug', { write: (line: string) => void lines.push(line) } as never);
    const at = await open({ log });
    const { session } = await settle(at);
    const token = api.mint(session);
    const inQuery = connectClient(at.port, session, token, { query: `?token=${token}` });
    expect(await statusOf(inQuery.socket)).toBe(400);
    const used = connectClient(at.port, session, token);
    await expect.poll(() => used.frames.length).toBeGreaterThan(0);
    expect(used.socket.protocol).toBe(terminalProtocols.client);
    expect((await connectClient(at.port, session, token).closed).code).toBe(4401);
    expect(lines.join('')).not.toContain(token);
    expect(await countOf(at, 'gpuaas_terminal_refusals_total{reason="token_in_query"')).toBe(1);
  });

  it('serves pages of its own console and programs without an origin, and no other page', async () => {
    const at = await open({ origins: ['https://console.example'] });
    const { session } = await settle(at);
    const from = (origin: string) => statusOf(connectClient(at.port, session, api.mint(session), { origin }).socket);
    expect(await from('https://evil.example')).toBe(403);
    expect(await from('https://console.example.evil.example')).toBe(403);
    expect(await from('null')).toBe(403);
    expect(await from('https://console.example')).toBe(101);
  });

  it.each([
    { what: 'no token', protocols: [terminalProtocols.client], status: 400 },
    { what: 'a short token', protocols: [terminalProtocols.client, 'abc'], status: 401 },
    { what: 'a token in capitals', protocols: [terminalProtocols.client, 'A'.repeat(64)], status: 401 },
    { what: 'two tokens', protocols: [terminalProtocols.client, 'a'.repeat(64), 'b'.repeat(64)], status: 400 },
    { what: 'another protocol', protocols: ['chat', 'a'.repeat(64)], status: 400 },
  ])('refuses $what without a question to the api', async ({ protocols, status }) => {
    const at = await open();
    const before = api.asked.get('attach') ?? 0;
    const path = terminalPaths.client.replace('{allocation_id}', systemIds.next());
    const found = await statusOf(new WebSocket(`ws://127.0.0.1:${at.port}${path}`, protocols));
    expect([400, 401]).toContain(found);
    expect(found === status || (protocols.length === 1 && found === 401)).toBe(true);
    expect(api.asked.get('attach') ?? 0).toBe(before);
  });

  it('gives an address a budget before the api hears of it', async () => {
    const at = await open({ limits: { attemptsPerMinute: 5 } });
    const session = api.openSession(systemIds.next());
    const before = api.asked.get('attach') ?? 0;
    const codes: (number | string)[] = [];
    for (let count = 0; count < 12; count += 1) {
      codes.push(await statusOf(connectClient(at.port, session, 'f'.repeat(64)).socket));
    }
    expect(codes.filter((code) => code === 429).length).toBeGreaterThanOrEqual(6);
    expect((api.asked.get('attach') ?? 0) - before).toBeLessThanOrEqual(6);
  });

  it.each([
    { what: 'bytes before hello', send: (socket: WebSocket) => socket.send(Buffer.from('ls\r')), code: 4400 },
    {
      what: 'another frame before hello',
      send: (socket: WebSocket) => socket.send('{"type":"ack","offset":0}'),
      code: 4400,
    },
    { what: 'text that is no frame', send: (socket: WebSocket) => socket.send('hello'), code: 4400 },
    {
      what: 'a hello with more in it',
      send: (socket: WebSocket) => socket.send('{"type":"hello","from":0,"columns":80,"rows":24,"x":1}'),
      code: 4400,
    },
    {
      what: 'a size that no terminal has',
      send: (socket: WebSocket) => socket.send('{"type":"hello","from":0,"columns":0,"rows":24}'),
      code: 4400,
    },
    {
      what: 'a message that is too large',
      send: (socket: WebSocket) => socket.send(Buffer.alloc(terminalLimits.clientMessageBytes + 1)),
      code: 4413,
    },
    {
      what: 'a message that is far too large',
      send: (socket: WebSocket) => socket.send(Buffer.alloc(4 * 1_024 * 1_024)),
      code: 1009,
    },
    { what: 'silence', send: () => undefined, code: 4400 },
  ])('closes a client that begins with $what', async ({ send, code }) => {
    const at = await open({ limits: { helloMs: 400 } });
    const { session } = await settle(at);
    const client = connectClient(at.port, session, api.mint(session), { hello: false });
    client.socket.once('open', () => send(client.socket));
    expect((await client.closed).code).toBe(code);
    expect(client.frames).toEqual([]);
  });

  it('closes a client that says hello twice, and one whose later message is too large', async () => {
    const at = await open();
    const { session, agent } = await settle(at);
    const twice = connectClient(at.port, session, api.mint(session));
    await expect.poll(() => twice.frames.length).toBe(1);
    twice.say({ type: 'hello', from: 0, columns: 80, rows: 24 });
    expect((await twice.closed).code).toBe(4400);
    const large = connectClient(at.port, session, api.mint(session));
    await expect.poll(() => large.frames.length).toBe(1);
    large.type(Buffer.alloc(terminalLimits.clientMessageBytes + 1));
    expect((await large.closed).code).toBe(4413);
    expect(agent.typed).toHaveLength(0);
  });

  it('bounds 5,000 sockets that say nothing, while others get in', async () => {
    const at = await open({ limits: { strangersPerAddress: 64 } });
    const { session } = await settle(at);
    let gone = 0;
    let most = 0;
    for (let count = 0; count < 5_000; count += 1) {
      const socket = createConnection({ host: '127.0.0.1', port: at.port, localAddress: '127.0.0.2' });
      socket.on('error', () => undefined);
      socket.once('close', () => (gone += 1));
      sockets.push(socket);
      // In turn: what the kernel queues and drops says nothing about the gateway.
      await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
      most = Math.max(most, at.door.strangers);
    }
    await expect.poll(() => gone, { timeout: 20_000 }).toBeGreaterThan(2_000);
    const client = connectClient(at.port, session, api.mint(session));
    await expect.poll(() => client.frames.length, { timeout: 10_000 }).toBe(1);
    const look = (value: number) => {
      most = Math.max(most, at.door.strangers);
      return value;
    };
    await expect.poll(() => look(gone), { timeout: 40_000 }).toBeGreaterThan(4_500);
    // Those that were let in have ten seconds for a request.
    await expect.poll(() => look(at.door.strangers), { timeout: 40_000 }).toBe(0);
    expect(most).toBe(64);
    expect(client.socket.readyState).toBe(client.socket.OPEN);
  }, 100_000);

  it('counts callers behind a proxy of ours by their own address', async () => {
    const at = await open({ limits: { strangersPerAddress: 2 }, isTrustedProxy: (address) => address === '127.0.0.1' });
    const { session } = await settle(at);
    const from = (address: string) => {
      const path = terminalPaths.client.replace('{allocation_id}', session.allocationId);
      const socket = new WebSocket(
        `ws://127.0.0.1:${at.port}${path}`,
        [terminalProtocols.client, api.mint(session, { role: 'watcher' })],
        { headers: { 'x-forwarded-for': address } },
      );
      return statusOf(socket);
    };
    const statuses: (number | string)[] = [];
    for (const caller of [1, 1, 2, 2, 3, 1]) statuses.push(await from(`192.0.2.${caller}`));
    expect(statuses).toEqual([101, 101, 101, 101, 101, 429]);
    expect(at.door.strangers).toBe(5);
  });

  it('notices a client that is gone without a word', async () => {
    const at = await open({ limits: { pingMs: 100 } });
    const { session } = await settle(at);
    const client = connectClient(at.port, session, api.mint(session));
    await expect.poll(() => client.frames.length).toBe(1);
    // A peer that is half open neither reads nor answers.
    client.socket.pause();
    await expect.poll(() => at.door.clients.size, { timeout: 5_000 }).toBe(0);
    expect([...at.homes.all.values()].map(({ hasWriter }) => hasWriter)).toEqual([false]);
  });

  it('answers load balancers, and nothing else', async () => {
    const at = await open();
    const ask = async (path: string) => (await fetch(`http://127.0.0.1:${at.port}${path}`)).status;
    expect([await ask('/healthz'), await ask('/readyz'), await ask('/'), await ask('/metrics')]).toEqual([
      200, 200, 404, 404,
    ]);
  });
});

describe('the door of nodes and copies', () => {
  const dial = (at: TestGateway, path: string, protocol: string, identity: Partial<TestIdentity>) =>
    new WebSocket(`wss://127.0.0.1:${at.nodePort}${path}`, protocol, {
      ...{ ca: authority.roots, ...identity },
      checkServerIdentity: (() => undefined) as never,
    });
  const paths = (sessionId: string) => ({
    node: terminalPaths.node.replace('{session_id}', sessionId),
    peer: terminalPaths.peer.replace('{session_id}', sessionId),
  });

  it('lets nodes come as nodes and gateways as copies, and nobody as anything else', async () => {
    const at = await open();
    const nodeId = systemIds.next();
    const path = paths(api.openSession(nodeId).id);
    const node = await authority.node(nodeId);
    const copy = await authority.process('terminal-gateway');
    const { node: asNode, peer: asPeer } = terminalProtocols;
    expect(await statusOf(dial(at, path.node, asNode, node))).toBe(101);
    expect(await statusOf(dial(at, path.node, asNode, copy))).toBe(403);
    expect(await statusOf(dial(at, path.peer, asPeer, node))).toBe(403);
    expect(await statusOf(dial(at, path.peer, asPeer, copy))).toBe(101);
    const other = { commonName: processCommonName('api'), uri: processSpiffeId('api'), use: 'both' as const };
    expect(await statusOf(dial(at, path.peer, asPeer, await authority.issue(other)))).toBe(403);
    const stranger = await makeTestAuthority();
    const { cert, key } = await stranger.node(nodeId);
    expect(await statusOf(dial(at, path.node, asNode, { cert, key }))).toEqual(expect.any(String));
    expect(await statusOf(dial(at, path.node, asNode, {}))).toEqual(expect.any(String));
  });

  it('sends a node away that comes for a session of another one', async () => {
    const at = await open();
    const session = api.openSession(systemIds.next());
    const agent = startAgent([at.nodePort], session, await authority.node(systemIds.next()));
    agents.push(agent);
    await expect.poll(() => agent.closedWith.at(-1)).toBe(4404);
    expect(at.homes.all.size).toBe(0);
    expect(session.home).toBeNull();
  });

  it.each([
    { what: 'bytes first', frames: [Buffer.from('root@node')] },
    { what: 'a frame of clients', frames: ['{"type":"hello","from":0,"columns":80,"rows":24}'] },
    {
      what: 'the shell of another session',
      frames: [`{"type":"shell","session_id":"${systemIds.next()}","pid":1,"from":0,"to":0,"columns":80,"rows":24}`],
    },
    { what: 'nothing', frames: [] },
  ])('closes an agent that says $what', async ({ frames }) => {
    const at = await open({ limits: { helloMs: 400 } });
    const nodeId = systemIds.next();
    const path = paths(api.openSession(nodeId).id);
    const socket = dial(at, path.node, terminalProtocols.node, await authority.node(nodeId));
    socket.once('open', () => {
      for (const frame of frames) socket.send(frame);
    });
    const code = await new Promise((resolve) => socket.once('close', resolve));
    expect(code).toBe(4400);
  });

  it('sends a copy away that asks for a session which is not here', async () => {
    const at = await open();
    const path = paths(systemIds.next());
    const socket = dial(at, path.peer, terminalProtocols.peer, await authority.process('terminal-gateway'));
    socket.once('open', () => {
      socket.send(JSON.stringify({ type: 'join', attachment_id: systemIds.next(), role: 'writer', takes_over: false }));
      socket.send('{"type":"hello","from":0,"columns":80,"rows":24}');
    });
    expect(await new Promise((resolve) => socket.once('close', resolve))).toBe(4503);
  });

  it('does not let one node dial without end', async () => {
    const at = await open({ limits: { nodeArrivalsPerMinute: 3 } });
    const nodeId = systemIds.next();
    const path = paths(api.openSession(nodeId).id);
    const identity = await authority.node(nodeId);
    const codes: unknown[] = [];
    for (let count = 0; count < 5; count += 1) {
      const socket = dial(at, path.node, terminalProtocols.node, identity);
      socket.once('open', () => setTimeout(() => socket.close(1000), 50));
      codes.push(await new Promise((resolve) => socket.once('close', resolve)));
    }
    expect(codes.filter((code) => code === 4429).length).toBeGreaterThanOrEqual(1);
  });

  it('keeps few seats for connections that show no certificate, and they take no room of nodes', async () => {
    const at = await open({ limits: { nodeStrangers: { perAddress: 8, inTotal: 100 } } });
    let gone = 0;
    for (let count = 0; count < 40; count += 1) {
      const socket = createConnection({ host: '127.0.0.1', port: at.nodePort, localAddress: '127.0.0.2' });
      socket.on('error', () => undefined);
      socket.once('close', () => (gone += 1));
      sockets.push(socket);
      await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
    }
    await expect.poll(() => gone, { timeout: 5_000 }).toBe(32);
    expect(at.insideDoor.strangers).toBe(8);
    await settle(at);
    expect(at.insideDoor.strangers).toBe(8);
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => at.insideDoor.strangers, { timeout: 5_000 }).toBe(0);
  });

  it('bounds the connections of one node, and another node gets in', async () => {
    const at = await open({ limits: { connectionsPerNode: 2 } });
    const nodeId = systemIds.next();
    const path = paths(api.openSession(nodeId).id);
    const identity = await authority.node(nodeId);
    const again = () => statusOf(dial(at, path.node, terminalProtocols.node, identity));
    expect([await again(), await again()]).toEqual([101, 101]);
    expect(await again()).toEqual(expect.any(String));
    await settle(at);
  });
});

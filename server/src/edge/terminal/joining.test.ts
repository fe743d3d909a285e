import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '../../kernel/id.ts';
import { connectClient, startAgent, type TestAgent, type TestClient } from '../../testing/terminal-peers.ts';
import {
  makeTestAuthority,
  openTestApi,
  openTestGateway,
  type TestApi,
  type TestAuthority,
  type TestGateway,
} from './testing.ts';

let authority: TestAuthority;
let api: TestApi;
const open = new Set<TestGateway>();
const agents = new Set<TestAgent>();
beforeAll(async () => {
  authority = await makeTestAuthority();
  api = await openTestApi(authority);
});
afterEach(async () => {
  for (const agent of agents) agent.close();
  agents.clear();
  for (const gateway of open) await gateway.close();
  open.clear();
});
afterAll(() => api.close());

const start = async (limits: Parameters<typeof openTestGateway>[2] = {}): Promise<TestGateway> => {
  const gateway = await openTestGateway(authority, api, limits);
  open.add(gateway);
  return gateway;
};
const world = async (gateways: readonly TestGateway[]) => {
  const nodeId = systemIds.next();
  const session = api.openSession(nodeId);
  const identity = await authority.node(nodeId);
  return {
    session,
    dial(...order: readonly number[]) {
      const ports = order.map((at) => gateways[at]?.nodePort ?? 0);
      const agent = startAgent(ports, session, identity);
      agents.add(agent);
      return agent;
    },
    browse: (
      at: number,
      grant: Parameters<TestApi['mint']>[1] = {},
      options: Parameters<typeof connectClient>[3] = {},
    ) => connectClient(gateways[at]?.port ?? 0, session, api.mint(session, grant), options),
  };
};
const ready = async (client: TestClient) => {
  await expect.poll(() => client.frames.find(({ type }) => type === 'ready'), { timeout: 10_000 }).toBeTruthy();
  return client.frames.find((frame) => frame.type === 'ready');
};
const shows = (client: TestClient, text: string) =>
  expect.poll(() => client.received.toString(), { timeout: 10_000 }).toBe(text);
const hears = (agent: TestAgent, text: string) =>
  expect.poll(() => agent.typed.toString(), { timeout: 10_000 }).toBe(text);
const notices = (client: TestClient) => client.frames.flatMap((frame) => (frame.type === 'notice' ? [frame.code] : []));

describe('a client and an agent of one session', () => {
  it.each([
    { who: 'the agent', browserFirst: false, apart: false },
    { who: 'the browser', browserFirst: true, apart: false },
    { who: 'the agent', browserFirst: false, apart: true },
    { who: 'the browser', browserFirst: true, apart: true },
  ])('meet when $who comes first (at different copies: $apart)', async ({ browserFirst, apart }) => {
    const gateways = [await start(), await start()];
    const { session, dial, browse } = await world(gateways);
    const at = apart ? 1 : 0;
    const early = browserFirst ? browse(at) : undefined;
    if (early) await expect.poll(() => api.asked.get('home') ?? 0).toBeGreaterThan(0);
    const agent = dial(0);
    if (!early) await agent.connected();
    const client = early ?? browse(at);
    expect(await ready(client)).toMatchObject({ session_id: session.id, role: 'writer', pid: 4_242, from: 0 });
    agent.print('$ ');
    await shows(client, '$ ');
    client.type('echo hello\r');
    await hears(agent, 'echo hello\r');
    client.say({ type: 'resize', columns: 120, rows: 40 });
    await expect.poll(() => agent.orders.at(-1)).toEqual({ type: 'resize', columns: 120, rows: 40 });
    client.say({ type: 'ping', id: 'mine' });
    await expect.poll(() => client.frames.at(-1)).toEqual({ type: 'pong', id: 'mine' });
    expect(agent.orders).toContainEqual({ type: 'client', writer: true });
  });

  it('meet when the api has named a home that the agent has not settled in yet: the client hears that it is ready, and of no reconnection', async () => {
    const gateways = [await start(), await start()];
    const { session, dial, browse } = await world(gateways);
    const [home] = gateways;
    session.home = { copy_id: home?.copyId ?? '', peer_url: `wss://127.0.0.1:${home?.nodePort}` };
    const client = browse(1);
    client.socket.once('open', () => client.type('typed before; '));
    // The home that it was sent to does not know the session, so it asks where to look.
    await expect.poll(() => api.asked.get('home') ?? 0).toBeGreaterThan(0);
    const agent = dial(0);
    expect(await ready(client)).toMatchObject({ role: 'writer', from: 0 });
    client.type('echo hello\r');
    await hears(agent, 'typed before; echo hello\r');
    expect(notices(client)).toEqual([]);
  });

  it('part when the shell ends: the client learns its code, and the api too', async () => {
    const gateways = [await start()];
    const { session, dial, browse } = await world(gateways);
    const agent = dial(0);
    const client = browse(0);
    await ready(client);
    agent.print('bye');
    agent.exit(3);
    expect((await client.closed).code).toBe(1000);
    expect(client.frames.at(-1)).toEqual({ type: 'exit', code: 3 });
    await expect.poll(() => session.ended).toMatchObject({ reason: 'exited', exit_code: 3, sent: 3, written: 0 });
    expect(gateways[0]?.homes.all.size).toBe(0);
  });

  it('part when the api ends the session: the agent hears why and the client gets the code', async () => {
    const gateways = [await start(), await start()];
    const { session, dial, browse } = await world(gateways);
    const agent = dial(0);
    const client = browse(1);
    await ready(client);
    await expect.poll(() => api.reported.get(gateways[0]?.copyId ?? '')?.map(({ writer }) => writer)).toEqual([true]);
    api.endSession(session, 'closed_by_operator');
    expect((await client.closed).code).toBe(4410);
    expect(agent.orders).toContainEqual({ type: 'end', reason: 'closed_by_operator' });
    // The api knows: it said so itself.
    expect(session.ended).toBeUndefined();
  });

  it('part when the writer ends the shell, and a watcher cannot', async () => {
    const gateways = [await start()];
    const { session, dial, browse } = await world(gateways);
    const agent = dial(0);
    const writer = browse(0);
    await ready(writer);
    const watcher = browse(0, { role: 'watcher', isAdmin: true });
    await ready(watcher);
    watcher.say({ type: 'end' });
    watcher.say({ type: 'resize', columns: 10, rows: 10 });
    watcher.type('rm -rf /\r');
    watcher.say({ type: 'ping', id: 'after' });
    await expect.poll(() => watcher.frames.at(-1)).toEqual({ type: 'pong', id: 'after' });
    expect(agent.typed).toHaveLength(0);
    expect(agent.orders.filter(({ type }) => type === 'end')).toEqual([]);
    writer.say({ type: 'end' });
    expect((await writer.closed).code).toBe(1000);
    expect((await watcher.closed).code).toBe(1000);
    await expect.poll(() => session.ended?.reason).toBe('closed_by_user');
  });
});

describe('several clients of one session', () => {
  it('are one writer, who hands over only to itself, and watchers whom the writer is shown', async () => {
    const gateways = [await start(), await start()];
    const { dial, browse } = await world(gateways);
    const agent = dial(0);
    const first = browse(1);
    await ready(first);
    agent.print('one');
    await shows(first, 'one');
    const second = browse(0);
    expect((await second.closed).code).toBe(4409);
    const third = browse(0, { takesOver: true });
    expect(await ready(third)).toMatchObject({ role: 'writer', from: 0 });
    expect((await first.closed).code).toBe(4409);
    await shows(third, 'one');
    const admin = browse(1, { role: 'watcher', isAdmin: true });
    expect(await ready(admin)).toMatchObject({ role: 'watcher' });
    await expect.poll(() => notices(third)).toEqual(['watched']);
    agent.print(' two');
    await shows(admin, 'one two');
    await shows(third, 'one two');
    admin.socket.close();
    await expect.poll(() => notices(third)).toEqual(['watched', 'unwatched']);
  });

  it('get what they lack and nothing twice, each from its own offset', async () => {
    const gateways = [await start()];
    const { dial, browse } = await world(gateways);
    const agent = dial(0);
    agent.print('0123456789');
    await agent.connected();
    await expect.poll(() => gateways[0]?.homes.all.values().next().value?.sent).toBe(10);
    const late = browse(0, {}, { from: 6 });
    expect(await ready(late)).toMatchObject({ from: 6 });
    agent.print('ab');
    await shows(late, '6789ab');
  });
});

describe('a copy that goes', () => {
  it('costs a browser at another copy nothing: the same shell goes on there, no byte lost or repeated', async () => {
    const gateways = [await start(), await start()];
    const [first, second] = gateways as [TestGateway, TestGateway];
    const { session, dial, browse } = await world(gateways);
    const agent = dial(0, 1);
    await agent.connected();
    const client = browse(1);
    await ready(client);
    const all = randomBytes(900_000);
    agent.print(all.subarray(0, 300_000));
    await expect.poll(() => client.received.length, { timeout: 10_000 }).toBe(300_000);
    // Printed while it is killed, so that some bytes are on their way.
    agent.print(all.subarray(300_000, 700_000));
    await first.cut();
    open.delete(first);
    agent.print(all.subarray(700_000));
    await expect.poll(() => client.received.length, { timeout: 20_000 }).toBe(900_000);
    expect(client.received.equals(all)).toBe(true);
    expect(session.home?.copy_id).toBe(second.copyId);
    // It was never closed, and got no second `ready`.
    expect(client.frames.filter(({ type }) => type === 'ready')).toHaveLength(1);
    client.type('whoami\r');
    await hears(agent, 'whoami\r');
    expect(agent.connections).toBe(2);
  });

  it('costs its own browsers a reconnect, from the offset that they have, to the same pid', async () => {
    const gateways = [await start(), await start()];
    const [first] = gateways as [TestGateway, TestGateway];
    const { dial, browse } = await world(gateways);
    const agent = dial(0, 1);
    const client = browse(0);
    expect(await ready(client)).toMatchObject({ pid: 4_242 });
    const all = randomBytes(200_000);
    agent.print(all.subarray(0, 100_000));
    await expect.poll(() => client.received.length).toBe(100_000);
    await first.cut();
    open.delete(first);
    expect((await client.closed).code).toBe(1006);
    agent.print(all.subarray(100_000));
    const again = browse(1, {}, { from: client.received.length });
    expect(await ready(again)).toMatchObject({ pid: 4_242, from: 100_000 });
    await expect.poll(() => again.received.length, { timeout: 10_000 }).toBe(100_000);
    expect(Buffer.concat([client.received, again.received]).equals(all)).toBe(true);
  });

  it('drains: agents dial again, its browsers are closed with 4503, browsers of other copies notice nothing', async () => {
    const gateways = [await start(), await start()];
    const [first, second] = gateways as [TestGateway, TestGateway];
    const { dial, browse } = await world(gateways);
    const agent = dial(0, 1);
    await agent.connected();
    const near = browse(0);
    await ready(near);
    const far = browse(1, { role: 'watcher' });
    await ready(far);
    agent.print('before ');
    await shows(far, 'before ');
    await first.close();
    open.delete(first);
    expect((await near.closed).code).toBe(4503);
    expect(agent.orders).toContainEqual({ type: 'redial' });
    agent.print('after');
    await shows(far, 'before after');
    expect(second.homes.all.size).toBe(1);
    await expect.poll(() => notices(far)).toEqual(['reconnecting', 'reconnected']);
  });
});

describe('an agent that goes', () => {
  it('and comes back at the same copy goes on where it was', async () => {
    const gateways = [await start()];
    const { dial, browse } = await world(gateways);
    const agent = dial(0);
    const client = browse(0);
    await ready(client);
    agent.print('one ');
    await shows(client, 'one ');
    agent.drop();
    agent.print('two ');
    await shows(client, 'one two ');
    await expect.poll(() => notices(client)).toEqual(['node_unreachable', 'node_back']);
    client.type('x');
    await hears(agent, 'x');
  });

  it('and does not come back ends the session, after the grace time', async () => {
    const gateway = await openTestGateway(authority, api, { limits: { nodeGraceMs: 300 } });
    open.add(gateway);
    const { session, dial, browse } = await world([gateway]);
    const agent = dial(0);
    const client = browse(0);
    await ready(client);
    agent.close();
    expect((await client.closed).code).toBe(4504);
    await expect.poll(() => session.ended?.reason).toBe('node_lost');
  });
});

describe('an api that does not answer', () => {
  it('lets open terminals go on for a time and then ends them', async () => {
    const away = await openTestApi(authority);
    const gateway = await openTestGateway(authority, away, { limits: { apiOutageMs: 1_500 } });
    open.add(gateway);
    const nodeId = systemIds.next();
    const session = away.openSession(nodeId);
    const agent = startAgent([gateway.nodePort], session, await authority.node(nodeId));
    agents.add(agent);
    const client = connectClient(gateway.port, session, away.mint(session));
    await ready(client);
    await away.close();
    agent.print('still here');
    await shows(client, 'still here');
    expect((await client.closed).code).toBe(4500);
    expect(agent.orders).toContainEqual({ type: 'end', reason: 'api_unreachable' });
  });
});

describe('who watches the session of another person', () => {
  it('comes back with a new token after a while; the owner and watchers of their own sessions stay', async () => {
    const gateway = await start({ limits: { watchMs: 1_000 } });
    const { dial, browse } = await world([gateway]);
    const agent = dial(0);
    await agent.connected();
    const [owner, own, other] = [
      browse(0),
      browse(0, { role: 'watcher' }),
      browse(0, { role: 'watcher', isAdmin: true }),
    ];
    for (const client of [owner, own, other]) await ready(client);
    const { code, reason } = await other.closed;
    expect(code).toBe(4503);
    expect(reason).toMatch(/checked again/);
    await expect.poll(() => gateway.homes.all.values().next().value?.watchers).toBe(1);
    expect([owner, own].map(({ socket }) => socket.readyState)).toEqual([owner.socket.OPEN, own.socket.OPEN]);
    const refused = connectClient(gateway.port, { allocationId: systemIds.next() }, 'f'.repeat(64));
    expect((await refused.closed).code).toBe(4401);
    await ready(browse(0, { role: 'watcher', isAdmin: true }));
  });
});

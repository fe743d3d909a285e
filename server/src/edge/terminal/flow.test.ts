import { randomBytes } from 'node:crypto';
import { terminalLimits } from '@gpuaas/contract/terminal';
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
let gateways: TestGateway[] = [];
let agents: TestAgent[] = [];
beforeAll(async () => {
  authority = await makeTestAuthority();
  api = await openTestApi(authority);
});
afterEach(async () => {
  for (const agent of agents) agent.close();
  agents = [];
  for (const gateway of gateways) await gateway.close();
  gateways = [];
});
afterAll(() => api.close());

/** A session with its agent at the first copy and a writer at one of them. */
const world = async (apart: boolean) => {
  gateways = [await openTestGateway(authority, api), await openTestGateway(authority, api)];
  const nodeId = systemIds.next();
  const session = api.openSession(nodeId);
  const agent = startAgent([gateways[0]?.nodePort ?? 0], session, await authority.node(nodeId));
  agents.push(agent);
  await agent.connected();
  const port = gateways[apart ? 1 : 0]?.port ?? 0;
  const join = (grant: Parameters<TestApi['mint']>[1] = {}) => connectClient(port, session, api.mint(session, grant));
  const writer = join();
  await ready(writer);
  return { session, agent, writer, join };
};
const ready = (client: TestClient) =>
  expect.poll(() => client.frames.some(({ type }) => type === 'ready'), { timeout: 10_000 }).toBe(true);
/** What all copies hold for their clients, agents and peers. */
const held = () => gateways.reduce((sum, { waitingBytes }) => sum + waitingBytes, 0);
const quiet = async (look: () => number): Promise<number> => {
  for (let before = -1; ; ) {
    const now = look();
    if (now === before) return now;
    before = now;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
};

describe.each([{ apart: false }, { apart: true }])('flow control (client at another copy: $apart)', ({ apart }) => {
  it('a writer who reads nothing stops the source, and everything arrives when it reads again', async () => {
    const { agent, writer } = await world(apart);
    writer.socket.pause();
    const all = randomBytes(24 * 1_024 * 1_024);
    agent.print(all);
    const sent = await quiet(() => agent.sent);
    expect(sent).toBeLessThanOrEqual(terminalLimits.windowBytes);
    expect(held()).toBeLessThanOrEqual(terminalLimits.windowBytes);
    writer.socket.resume();
    await expect.poll(() => writer.received.length, { timeout: 30_000 }).toBe(all.length);
    expect(writer.received.equals(all)).toBe(true);
  });

  it('a writer who reads but never acknowledges gets one window', async () => {
    const { agent, writer } = await world(apart);
    writer.acknowledges = false;
    agent.print(randomBytes(3 * 1_024 * 1_024));
    expect(await quiet(() => agent.sent)).toBe(terminalLimits.windowBytes);
    await expect.poll(() => writer.received.length).toBe(terminalLimits.windowBytes);
    expect(held()).toBe(0);
  });

  it('Ctrl-C gets through while output floods', async () => {
    const { agent, writer } = await world(apart);
    let isFlooding = true;
    const flood = (): void => {
      if (!isFlooding) return;
      if (agent.output.length - agent.sent < 1_024 * 1_024) agent.print(Buffer.alloc(256 * 1_024, 'y'));
      setImmediate(flood);
    };
    flood();
    await expect.poll(() => writer.received.length, { timeout: 10_000 }).toBeGreaterThan(1_024 * 1_024);
    const before = writer.received.length;
    writer.type('\x03');
    await expect.poll(() => agent.typed.toString(), { timeout: 5_000 }).toBe('\x03');
    isFlooding = false;
    // The flood went on until the program heard it.
    expect(agent.sent).toBeGreaterThanOrEqual(before);
  });

  it('a shell that takes no input stops the client, and every byte arrives when it does', async () => {
    const { agent, writer } = await world(apart);
    agent.stall();
    // Kernels keep some megabytes on each hop.
    const all = randomBytes(40 * 1_024 * 1_024);
    for (let at = 0; at < all.length; at += 32_768) writer.type(all.subarray(at, at + 32_768));
    expect(await quiet(() => writer.socket.bufferedAmount)).toBeGreaterThan(0);
    expect(held()).toBeLessThanOrEqual(2 * (terminalLimits.pauseAboveBytes + 128 * 1_024));
    agent.resume();
    await expect.poll(() => agent.typed.length, { timeout: 30_000 }).toBe(all.length);
    expect(agent.typed.equals(all)).toBe(true);
  });

  it('a program that answers a large paste does not wait for acknowledgements behind it', async () => {
    const { agent, writer } = await world(apart);
    agent.stall();
    const paste = randomBytes(40 * 1_024 * 1_024);
    for (let at = 0; at < paste.length; at += 32_768) writer.type(paste.subarray(at, at + 32_768));
    await quiet(() => writer.socket.bufferedAmount);
    // The program prints more than a window before it takes another byte of input, as `cat` would.
    agent.print(randomBytes(2 * 1_024 * 1_024));
    await expect
      .poll(() => writer.received.length, { timeout: 20_000 })
      .toBeGreaterThanOrEqual(terminalLimits.windowBytes);
    agent.resume();
    await expect.poll(() => agent.typed.length, { timeout: 30_000 }).toBe(paste.length);
    await expect.poll(() => writer.received.length, { timeout: 30_000 }).toBe(2 * 1_024 * 1_024);
  });

  it('a watcher who is too slow is closed with 4508, and the writer goes on', async () => {
    const { agent, writer, join } = await world(apart);
    const watcher = join({ role: 'watcher' });
    await ready(watcher);
    watcher.socket.pause();
    const all = randomBytes(32 * 1_024 * 1_024);
    agent.print(all);
    await expect.poll(() => gateways[0]?.homes.all.values().next().value?.watchers, { timeout: 20_000 }).toBe(0);
    expect(held()).toBeLessThanOrEqual(2 * terminalLimits.watcherLagBytes);
    watcher.socket.resume();
    expect((await watcher.closed).code).toBe(4508);
    await expect.poll(() => writer.received.length, { timeout: 40_000 }).toBe(all.length);
    expect(writer.received.equals(all)).toBe(true);
    expect(held()).toBe(0);
  });
});

describe('a flooding neighbour', () => {
  it('does not keep others from their output', async () => {
    const { agent, writer } = await world(false);
    const nodeId = systemIds.next();
    const other = api.openSession(nodeId);
    const quietAgent = startAgent([gateways[0]?.nodePort ?? 0], other, await authority.node(nodeId));
    agents.push(quietAgent);
    await quietAgent.connected();
    const neighbour = connectClient(gateways[0]?.port ?? 0, other, api.mint(other));
    await ready(neighbour);
    writer.socket.pause();
    agent.print(randomBytes(16 * 1_024 * 1_024));
    await quiet(() => agent.sent);
    quietAgent.print('prompt$ ');
    await expect.poll(() => neighbour.received.toString(), { timeout: 5_000 }).toBe('prompt$ ');
    expect(neighbour.socket.readyState).toBe(neighbour.socket.OPEN);
  });
});

import { createHash, randomBytes } from 'node:crypto';
import type { TerminalInternalInput } from '@gpuaas/contract/terminal';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Fault } from '../../kernel/fault.ts';
import { systemIds } from '../../kernel/id.ts';
import { connectClient, startAgent, type TestAgent, type TestClient } from '../../testing/terminal-peers.ts';
import {
  makeTestAuthority,
  openTestApi,
  openTestGateway,
  type TestApi,
  type TestAuthority,
  type TestGateway,
  type TestSession,
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
  api.store = undefined;
  api.patienceSeconds = 2;
  for (const agent of agents) agent.close();
  agents = [];
  for (const gateway of gateways) await gateway.close();
  gateways = [];
});
afterAll(() => api.close());

const open = async (copies: number, recorded: { readonly input: boolean } = { input: false }) => {
  while (gateways.length < copies) gateways.push(await openTestGateway(authority, api));
  const nodeId = systemIds.next();
  const session = api.openSession(nodeId, recorded);
  const ports = gateways.map(({ nodePort }) => nodePort);
  const agent = startAgent(ports, session, await authority.node(nodeId));
  agents.push(agent);
  const join = (copy = 0) => connectClient(gateways[copy]?.port ?? 0, session, api.mint(session));
  return { session, agent, join };
};
const ready = (client: TestClient) =>
  expect.poll(() => client.frames.some(({ type }) => type === 'ready'), { timeout: 10_000 }).toBe(true);
const chunksOf = ({ chunks }: TestSession): TerminalInternalInput<'record'>[] => chunks ?? expect.unreachable('none');
/** The bytes of one kind of event, as they are in the chunks. */
const bytesOf = (session: TestSession, kind: 'o' | 'i' = 'o'): Buffer =>
  Buffer.concat(
    chunksOf(session).flatMap(({ events, payload }) => {
      const bytes = Buffer.from(payload, 'base64');
      let at = 0;
      return events.flatMap(([, of, value]) => {
        if (typeof value !== 'number') return [];
        at += value;
        return of === kind ? [bytes.subarray(at - value, at)] : [];
      });
    }),
  );
const eventsOf = (session: TestSession) => chunksOf(session).flatMap(({ events }) => events);
const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const isFinal = (session: TestSession) =>
  expect.poll(() => chunksOf(session).at(-1)?.final, { timeout: 20_000 }).toBe(true);

describe('a session that must be recorded', () => {
  it('begins when its first chunk is stored, and not before', async () => {
    const gate = Promise.withResolvers<undefined>();
    api.store = () => gate.promise;
    const { session, agent, join } = await open(1);
    const client = join();
    agent.print('hello');
    await expect.poll(() => api.asked.get('record') ?? 0).toBeGreaterThan(0);
    expect([agent.orders, client.frames, client.received.length]).toEqual([[], [], 0]);
    gate.resolve(undefined);
    await ready(client);
    await expect.poll(() => client.received.toString()).toBe('hello');
    expect(client.frames.find(({ type }) => type === 'ready')).toMatchObject({ recording: 'output' });
    expect(eventsOf(session)[0]).toEqual([0, 'r', '80x24']);
  });

  it('does not begin when the store refuses, and says why', async () => {
    api.store = async () => {
      throw new Error('the store is away');
    };
    const { session, agent, join } = await open(1);
    const client = join();
    await expect.poll(() => session.ended?.reason, { timeout: 20_000 }).toBe('recorder_failed');
    expect(agent.orders.filter(({ type }) => type === 'resume')).toEqual([]);
    await expect.poll(() => agent.closedWith).toContain(4507);
    expect(chunksOf(session)).toEqual([]);
    client.socket.terminate();
  }, 30_000);

  it('has the bytes that were delivered, whatever they are, over sessions that end by themselves', async () => {
    for (let round = 0; round < 20; round += 1) {
      const { session, agent, join } = await open(1);
      const client = join();
      await ready(client);
      const all = randomBytes(1 + ((round * 40_009) % 700_000));
      for (let at = 0; at < all.length; at += 9_973) agent.print(all.subarray(at, at + 9_973));
      await expect.poll(() => client.received.length, { timeout: 20_000 }).toBe(all.length);
      agent.exit(0);
      expect((await client.closed).code).toBe(1000);
      expect(chunksOf(session).at(-1)?.final).toBe(true);
      expect(digest(bytesOf(session))).toBe(digest(client.received));
      expect(digest(client.received)).toBe(digest(all));
      agent.close();
    }
  }, 120_000);

  it('ends when its recorder fails, with a code of its own', async () => {
    const { session, agent, join } = await open(1);
    const client = join();
    await ready(client);
    api.store = async () => {
      throw new Error('the disk is full');
    };
    agent.print('what nobody stores');
    expect(await client.closed).toMatchObject({ code: 4507, reason: expect.stringContaining('must be recorded') });
    await expect.poll(() => session.ended?.reason).toBe('recorder_failed');
    await expect.poll(() => agent.orders.at(-1)).toMatchObject({ type: 'end', reason: 'recorder_failed' });
    expect(await gateways[0]?.scrape()).toMatch(/gpuaas_terminal_recorder_failures_total\{.*recorder_failed.*\} 1/);
  }, 30_000);

  it('ends when its recording is full', async () => {
    const { session, agent, join } = await open(1);
    const client = join();
    await ready(client);
    api.store = async () => new Fault('terminal_not_recorded', 'The recording is full.');
    agent.print('one byte too many');
    expect((await client.closed).code).toBe(4507);
    await expect.poll(() => session.ended?.reason).toBe('recording_full');
  }, 30_000);

  it('waits out a store that is away for a moment, and nothing is missing', async () => {
    const { session, agent, join } = await open(1);
    const client = join();
    await ready(client);
    let refusals = 0;
    api.store = async () => {
      refusals += 1;
      if (refusals < 4) throw new Error('not now');
      return undefined;
    };
    agent.print('kept');
    await expect.poll(() => bytesOf(session).toString(), { timeout: 10_000 }).toBe('kept');
    expect(client.received.toString()).toBe('kept');
  }, 30_000);

  it('tells the agent how far it is stored, and holds a source that is faster than the store', async () => {
    const gate = Promise.withResolvers<undefined>();
    // A busy machine needs longer than a question may take.
    api.patienceSeconds = 120;
    const { session, agent, join } = await open(1);
    const client = join();
    await ready(client);
    api.store = () => gate.promise;
    agent.print(randomBytes(8 * 1_024 * 1_024));
    await expect.poll(() => client.received.length, { timeout: 10_000 }).toBeGreaterThan(500_000);
    const held = async () => {
      for (let before = -1; ; ) {
        const now = client.received.length;
        if (now === before) return now;
        before = now;
        await new Promise((resolve) => setTimeout(resolve, 300));
      }
    };
    // The double prints on without a limit of its own; the gateway stops reading from it.
    expect(await held()).toBeLessThan(3 * 1_024 * 1_024);
    gate.resolve(undefined);
    api.store = undefined;
    await expect.poll(() => client.received.length, { timeout: 30_000 }).toBe(8 * 1_024 * 1_024);
    agent.exit(0);
    await isFinal(session);
    expect(digest(bytesOf(session))).toBe(digest(client.received));
    expect(agent.orders.flatMap((order) => (order.type === 'ack' ? [order.recorded] : [])).at(-1)).toBeGreaterThan(0);
  }, 180_000);

  it('goes on at another copy without a gap and without a repetition when its copy is killed', async () => {
    const { session, agent, join } = await open(2);
    const client = join(1);
    await ready(client);
    const all: Buffer[] = [];
    const print = (bytes: Buffer) => {
      all.push(bytes);
      agent.print(bytes);
    };
    for (let count = 0; count < 10; count += 1) print(randomBytes(20_000));
    await expect.poll(() => client.received.length, { timeout: 10_000 }).toBe(200_000);
    await gateways[0]?.cut();
    for (let count = 0; count < 10; count += 1) print(randomBytes(20_000));
    await expect.poll(() => client.received.length, { timeout: 20_000 }).toBe(400_000);
    agent.exit(3);
    await isFinal(session);
    expect(digest(bytesOf(session))).toBe(digest(Buffer.concat(all)));
    expect(chunksOf(session).map(({ sequence }) => sequence)).toEqual(chunksOf(session).map((_, index) => index + 1));
    expect(new Set(chunksOf(session).map(({ copy_id }) => copy_id)).size).toBe(2);
    const times = eventsOf(session).map(([ms]) => ms);
    expect(times).toEqual([...times].sort((a, b) => a - b));
  }, 60_000);

  it('has resizes and markers, and what was typed only where policy says so', async () => {
    for (const input of [false, true]) {
      const { session, agent, join } = await open(1, { input });
      const client = join();
      await ready(client);
      client.say({ type: 'resize', columns: 100, rows: 30 });
      client.type('secret');
      await expect.poll(() => agent.typed.toString()).toBe('secret');
      const second = connectClient(gateways[0]?.port ?? 0, session, api.mint(session, { takesOver: true }));
      await ready(second);
      expect((await client.closed).code).toBe(4409);
      agent.exit(0);
      await isFinal(session);
      const said = eventsOf(session).map(([, kind, value]) => [kind, value]);
      expect(said).toContainEqual(['r', '100x30']);
      expect(said).toContainEqual(['m', 'taken over in another place']);
      expect(bytesOf(session, 'i').toString()).toBe(input ? 'secret' : '');
    }
  }, 30_000);
});

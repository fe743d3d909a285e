import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { terminalLimits } from '@gpuaas/contract/terminal';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { systemClock } from '../../kernel/clock.ts';
import { systemIds } from '../../kernel/id.ts';
import { silentLog } from '../../kernel/telemetry/log.ts';
import { makeMetrics } from '../../kernel/telemetry/metrics.ts';
import { connectClient, startAgent, type TestAgent, type TestClient } from '../../testing/terminal-peers.ts';
import { makeHome } from './home/home.ts';
import { linkHere } from './link.ts';
import { makeGatewayMetrics } from './metrics.ts';
import {
  makeTestAuthority,
  openTestApi,
  openTestGateway,
  type TestApi,
  type TestAuthority,
  type TestGateway,
} from './testing.ts';
import { makeWire, mostWaitingBytes, type Wire } from './wire.ts';

let authority: TestAuthority;
let api: TestApi;
let gateway: TestGateway | undefined;
let agent: TestAgent | undefined;
beforeAll(async () => {
  authority = await makeTestAuthority();
  api = await openTestApi(authority);
});
afterEach(async () => {
  agent?.close();
  await gateway?.close();
  [agent, gateway] = [undefined, undefined];
});
afterAll(() => api.close());

const world = async (pingMs: number) => {
  const at = await openTestGateway(authority, api, { limits: { pingMs } });
  gateway = at;
  const nodeId = systemIds.next();
  const session = api.openSession(nodeId);
  const shell = startAgent([at.nodePort], session, await authority.node(nodeId));
  agent = shell;
  await shell.connected();
  const join = async (grant: Parameters<TestApi['mint']>[1] = {}): Promise<TestClient> => {
    const client = connectClient(at.port, session, api.mint(session, grant));
    await expect.poll(() => client.frames.length, { timeout: 10_000 }).toBeGreaterThan(0);
    return client;
  };
  return { at, join };
};
/** A connection that says how much waits on it, as the test wants. */
interface FakeWire {
  readonly said: { readonly type?: string }[];
  waitingBytes: number;
  readonly wire: Wire;
}
const fakeWire = (): FakeWire => {
  const said: FakeWire['said'] = [];
  const fake: FakeWire = {
    ...{ said, waitingBytes: 0 },
    wire: {
      get waitingBytes() {
        return fake.waitingBytes;
      },
      sendText: (frame: object) => said.push(frame),
      ...{ sendBytes: () => undefined, pause: () => undefined, resume: () => undefined },
    } as unknown as Wire,
  };
  return fake;
};
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('what a connection may hold', () => {
  it('is bounded for a client that pings 200,000 times and reads nothing; it is closed while it goes on', async () => {
    const { at, join } = await world(100);
    const client = await join();
    client.socket.pause();
    const payload = randomBytes(125);
    let most = 0;
    for (let count = 0; count < 200_000; count += 1) {
      client.socket.ping(payload, true, () => undefined);
      client.socket.send(`{"type":"ping","id":"${count}"}`, () => undefined);
      if (count % 2_000 > 0) continue;
      await pause(0);
      most = Math.max(most, at.waitingBytes);
    }
    const talking = setInterval(() => client.socket.send('{"type":"ping","id":"more"}', () => undefined), 50);
    await expect
      .poll(
        () => {
          most = Math.max(most, at.waitingBytes);
          return at.door.clients.size;
        },
        { timeout: 20_000, interval: 20 },
      )
      .toBe(0);
    clearInterval(talking);
    expect(most).toBeLessThan(terminalLimits.pauseAboveBytes);
    client.socket.terminate();
  }, 60_000);

  it('does not grow by pings of a watcher while the agent takes nothing', () => {
    const id = systemIds.next();
    const parts = { onEnded: () => undefined, onLost: () => undefined, onChanged: () => undefined };
    const metrics = makeGatewayMetrics(makeMetrics('test', '0'));
    const facts = {
      ...{ id, allocation_id: id, node_id: id, user_id: id, name: 'main', expires_at: new Date().toISOString() },
      ...{ kind: 'shell' as const, recording: 'off' as const, simulated: true },
    };
    const home = makeHome(facts, {
      ...{ ...parts, metrics, clock: systemClock, log: silentLog },
      makeRecorder: () => expect.unreachable('nothing is recorded'),
    });
    const [node, client] = [fakeWire(), fakeWire()];
    const pty = { ...{ type: 'shell' as const, session_id: id, pid: 1, from: 0, to: 0 }, columns: 80, rows: 24 };
    home.settle(node.wire, { pty, facts });
    const link = linkHere(home, {
      ...{ wire: client.wire, isRejoin: false },
      join: { type: 'join', attachment_id: id, role: 'watcher', takes_over: false },
      hello: { type: 'hello', from: 0, columns: 80, rows: 24 },
    });
    const ping = () => link.takeFrame({ type: 'ping', id: 'a' }, '');
    const pings = () => node.said.filter(({ type }) => type === 'ping').length;
    ping();
    expect(pings()).toBe(1);
    node.waitingBytes = terminalLimits.pauseAboveBytes + 1;
    for (let count = 0; count < 1_000; count += 1) ping();
    expect(pings()).toBe(1);
    node.waitingBytes = 0;
    ping();
    expect(pings()).toBe(2);
  });

  it('answers a few pings a second, and no flood of them', async () => {
    const { join } = await world(30_000);
    const client = await join();
    for (let count = 0; count < 1_000; count += 1) client.say({ type: 'ping', id: String(count) });
    const pongs = () => client.frames.filter(({ type }) => type === 'pong').length;
    await expect.poll(pongs).toBeGreaterThanOrEqual(10);
    await pause(500);
    expect(pongs()).toBeLessThan(50);
  });

  it('has an end for whatever is sent: above it the connection is cut', async () => {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0, autoPong: false });
    await new Promise((resolve) => server.once('listening', resolve));
    const came = new Promise<WebSocket>((resolve) => server.once('connection', resolve));
    const peer = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
    peer.on('error', () => undefined);
    const listener = { onBytes: () => undefined, onText: () => undefined };
    const wire = makeWire(await came, { messageBytes: 1_024, listener, clock: systemClock });
    peer.pause();
    let most = 0;
    for (let count = 0; count < 100_000 && wire.isOpen; count += 1) {
      wire.sendText({ type: 'notice', code: 'watched', text: 'x'.repeat(1_000) });
      most = Math.max(most, wire.waitingBytes);
    }
    expect(wire.isOpen).toBe(false);
    expect(most).toBeLessThan(mostWaitingBytes + 2_000);
    expect(await wire.closed).toBe(1006);
    peer.terminate();
    server.close();
  });
});

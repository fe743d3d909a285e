import { performServerHandshake } from 'node:http2';
import { connect, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { hourMs } from '../../kernel/units.ts';
import { usualAppProxyLimits } from './proxy.ts';
import { type AppRig, cookie, label, openAppRig } from './testing.ts';

let rig: AppRig;
const open = async (...settings: Parameters<typeof openAppRig>) => {
  rig = await openAppRig(...settings);
};
afterEach(() => rig.close());

const closeOf = (socket: Pick<Socket, 'once'>) => new Promise<void>((resolve) => socket.once('close', () => resolve()));
const opened = (name = label) =>
  new Promise<WebSocket | number>((resolve) => {
    const host = `${name}.apps.localhost`;
    const socket = new WebSocket(`ws://127.0.0.1:${rig.proxy.port}/ws`, {
      headers: { host, ...cookie, origin: `http://${host}` },
    });
    socket.once('open', () => resolve(socket));
    socket.once('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
    socket.once('error', () => resolve(0));
  });

describe('a host with a good certificate and another program than our agent', () => {
  it('loses its tunnel when it announces origins, of which the proxy would keep every one', async () => {
    await open();
    const socket = await rig.dialAsNode();
    const ended = closeOf(socket);
    const session = performServerHandshake(socket, {});
    session.on('error', () => undefined);
    let announced = 0;
    const announce = () => {
      if (session.destroyed) return;
      session.origin(...Array.from({ length: 100 }, (_, at) => `https://h${announced + at}.example`));
      announced += 100;
      setTimeout(announce, 1);
    };
    await expect.poll(() => rig.proxy.tunnels).toBe(2);
    announce();
    await ended;
    // The tunnel of the agent is another one, and stays.
    await expect.poll(() => rig.proxy.tunnels).toBe(1);
    expect((await rig.call('/')).status).toBe(200);
  });

  it('that dials without end is asked about in the api as often as its budget says', async () => {
    await open({ nodes: { ...usualAppProxyLimits.nodes, tunnelsPerNode: 20, dialsPerMinute: 4, recheckMs: hourMs } });
    const sockets: TLSSocket[] = [];
    for (let at = 0; at < 10; at += 1) sockets.push(await rig.dialAsNode());
    for (const socket of sockets) socket.resume();
    await expect.poll(() => sockets.filter(({ destroyed }) => destroyed).length).toBeGreaterThanOrEqual(6);
    // The agent dialled once, and the budget may have grown by one meanwhile.
    expect(rig.nodeAsked).toBeGreaterThanOrEqual(4);
    expect(rig.nodeAsked).toBeLessThanOrEqual(5);
  });
});

describe('connections', () => {
  const silent = (): Socket =>
    connect(rig.proxy.port, '127.0.0.1')
      .on('error', () => undefined)
      .resume();

  it('on which nobody was let in have so many seats for an address, and one that was let in has none of them', async () => {
    await open({ strangeConnections: { perAddress: 3, inTotal: 6 } });
    expect(await opened()).toBeInstanceOf(WebSocket);
    const held = [silent(), silent(), silent()];
    await Promise.all(held.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
    await closeOf(silent());
    expect(held.every((socket) => !socket.destroyed)).toBe(true);
    const freed = held.map(closeOf);
    for (const socket of held) socket.destroy();
    await Promise.all(freed);
    await expect.poll(async () => (await rig.call('/').catch(() => undefined))?.status).toBe(200);
  });

  it('that send no headers end soon, and free their seats', async () => {
    await open({ strangeConnections: { perAddress: 1, inTotal: 1 }, headersMs: 200 });
    const idle = silent();
    idle.write('GET / HTTP/1.1\r\nHost:');
    await closeOf(idle);
    expect((await rig.call('/')).status).toBe(200);
  });

  it('of one organization do not take the room of the others, over however many routes they go', async () => {
    await open({ perOrganization: 2 });
    const others = crypto.randomUUID();
    const own = rig.admitted;
    rig.decide = ({ label: name }) => (name === 'other' ? { ...own, organization_id: others } : own);
    expect([await opened('a'), await opened('b')]).toEqual([expect.any(WebSocket), expect.any(WebSocket)]);
    expect(await opened('c')).toBe(429);
    expect((await rig.call('/', { host: 'd.apps.localhost' })).status).toBe(429);
    expect((await rig.call('/', { host: 'other.apps.localhost' })).status).toBe(200);
  });
});

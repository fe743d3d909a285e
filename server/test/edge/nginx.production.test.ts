import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openGpuaas } from '@gpuaas/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { testManifest } from '../../src/domains/apps/testing.ts';
import { webhookPath } from '../../src/edge/payments/webhook.ts';
import { systemIds } from '../../src/kernel/id.ts';
import { signBody } from '../../src/ports/payments/signature.ts';
import { connectClient } from '../../src/testing/terminal-peers.ts';
import { ask, signIn } from '../journeys/support/sign-in.ts';
import { watchEvents } from '../journeys/support/watch-events.ts';
import { type Answer, askByHttp2, askEdge, flood, sayPlainly, shakeHands } from './asking.ts';
import { startBehindEdge, vpn } from './installation.ts';
import { startNginx } from './nginx.ts';

/**
 * The profiles of `deploy/edge/nginx` before a running installation: two api processes and two terminal gateways, one of
 * each other process, and two simulated hosts that know the edge alone. What a person, a browser, a payment provider and a host
 * do comes through it.
 */
const patience = 300_000;
const soon = { timeout: 90_000, interval: 250 };
let edge: Awaited<ReturnType<typeof startBehindEdge>>;
let nginx: Awaited<ReturnType<typeof startNginx>>;
let running: Awaited<ReturnType<typeof edge.start>>;
let token = '';
let projectId = '';

beforeAll(async () => {
  edge = await startBehindEdge();
  nginx = await startNginx('nginx.conf', edge.folder, edge.places);
  running = await edge.start();
  await running.bringHosts();
  ({ access_token: token } = await signIn(edge.url, { login: 'owner', password: running.password }));
  const gpuaas = openGpuaas({ baseUrl: edge.url, token });
  const { data: organizations } = await gpuaas.organizations.list({});
  const demo = organizations.find(({ slug }) => slug === 'demo');
  const { data: projects } = await gpuaas.projects.list({ organization_id: demo?.id ?? '' });
  projectId = projects[0]?.id ?? '';
}, 2 * patience);
afterAll(async () => {
  await running?.close();
  await nginx?.close();
}, patience);

const edgePort = () => edge.ports[443];
const asOwner = () => openGpuaas({ baseUrl: edge.url, token, project: projectId });
const launch = async (sku: string, gpus: number, name: string) => {
  const { id } = await asOwner().allocations.create({ name, sku, region: 'local', gpus });
  const state = async () => (await asOwner().allocations.get({ allocation_id: id })).state;
  await expect.poll(state, soon).toBe('active');
  return id;
};
async function call(method: string, path: string, body?: object) {
  const said = await ask(edge.url, token, path, {
    method,
    headers: {
      ...{ authorization: `Bearer ${token}`, 'x-project-id': projectId },
      ...(method !== 'GET' && { 'idempotency-key': systemIds.next() }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  expect(said.status, JSON.stringify(said.body)).toBeLessThan(300);
  return said.body;
}
const upstreamsOf = async (path: string): Promise<readonly string[]> => {
  const lines = (await nginx.log('access')).split('\n').filter((line) => line.includes(path));
  return [...new Set(lines.map((line) => line.split(' ').at(-2) ?? ''))].sort();
};

describe('nginx on the internet', { timeout: patience }, () => {
  it('is a configuration that nginx takes without a warning', async () => {
    expect((await nginx.test()).match(/\[(?:warn|emerg|alert)\].*/g)).toBeNull();
  });

  it('leads people to both api processes, by HTTP/2 and TLS alone', async () => {
    for (let time = 0; time < 6; time += 1) {
      expect(await askByHttp2(edge.url, '/api/v1/sign-in')).toEqual({ status: 200, protocol: 'h2' });
    }
    const { first, second } = edge.own.api;
    expect(await upstreamsOf('/api/v1/sign-in"')).toEqual([`127.0.0.1:${first}`, `127.0.0.1:${second}`].sort());
    const plain = await askEdge({ port: edge.ports[80], path: '/apps?x=1', plain: true });
    expect(plain).toMatchObject({ status: 308, headers: { location: 'https://localhost/apps?x=1' } });
  });

  it('lets a person sign in with pages, cookies and tokens', async () => {
    const { access_token: fresh } = await signIn(edge.url, { login: 'member', password: running.password });
    expect(await ask(edge.url, fresh)).toMatchObject({ status: 200 });
    const page = await askEdge({ port: edgePort(), path: '/api/v1/sign-in' });
    expect(page.headers['strict-transport-security']).toContain('max-age=');
  });

  it('refuses names that are not of the installation, in the handshake and behind it', async () => {
    expect(await shakeHands(edgePort(), 'other.example.org')).toEqual({
      refused: 'ERR_SSL_TLSV1_UNRECOGNIZED_NAME',
    });
    expect(await shakeHands(edgePort(), undefined)).toHaveProperty('refused');
    const host = { host: 'other.example.org' };
    expect((await askEdge({ port: edgePort(), name: 'localhost', headers: host })).status).toBe(421);
    expect(await sayPlainly(edge.ports[80], 'GET / HTTP/1.1\r\nHost: other.example.org\r\n\r\n')).toBe('');
  });

  it('keeps probes, metrics and internal paths to the private network', async () => {
    for (const path of ['/healthz', '/readyz', '/metrics', '/internal/ws/terminal/x', '/internal']) {
      expect((await askEdge({ port: edgePort(), path })).headers['x-request-id']).toBeUndefined();
      expect((await askEdge({ port: edgePort(), path })).status).toBe(404);
    }
  });

  it('tells the api who calls, and nobody else is believed about it', async () => {
    const forged = { 'x-forwarded-for': '203.0.113.9', forwarded: 'for=203.0.113.9', 'x-real-ip': '203.0.113.9' };
    const addressOf = async (from: string, port: number, plain?: true) => {
      const { access_token: own } = await signIn(edge.url, { login: 'viewer', password: running.password });
      const headers = { authorization: `Bearer ${own}`, ...forged };
      const ways = { ...{ port, from, headers, path: '/api/v1/me/sessions' }, ...(plain && { plain }) };
      const { body } = await askEdge(ways);
      const { data } = JSON.parse(body) as { data: { current: boolean; ip_address: string }[] };
      return data.find(({ current }) => current)?.ip_address;
    };
    expect(await addressOf('127.0.0.7', edgePort())).toBe('127.0.0.7');
    // Past the edge: the address of the connection counts, and the header does not.
    expect(await addressOf('127.0.0.8', edge.own.api.first, true)).toBe('127.0.0.8');
  });

  it('hands events over one by one, as they happen', async () => {
    const watch = await watchEvents(edge.url, token, projectId);
    const id = await launch('h200-sxm-slice', 1, 'seen');
    expect(
      watch
        .seen(id)
        .map(({ type }) => type)
        .at(-1),
    ).toBe('provisioning.active');
    await asOwner().allocations.release({ allocation_id: id });
    await watch.until(id, 'provisioning.releasing.completed');
    await watch.close();
  });

  it('carries a terminal between a browser and a host, whose certificate the gateway checks', async () => {
    const id = await launch('h200-sxm-slice', 1, 'shell');
    const size = { columns: 80, rows: 24 };
    for (const time of [1, 2]) {
      const minted = await asOwner().terminals.tokenMint({ allocation_id: id, mode: 'open', ...size });
      const base = edge.url.replace('https', 'wss');
      const client = connectClient(0, { allocationId: id }, minted.token, { base });
      await expect.poll(() => client.frames.some(({ type }) => type === 'ready'), soon).toBe(true);
      client.type(`echo sum=$((40+${time}))\r`);
      await expect.poll(() => client.received.toString('latin1'), soon).toContain(`sum=4${time}`);
      client.type('exit\r');
      await client.closed;
    }
    const { first, second } = edge.own.terminalNode;
    const carried = new RegExp(` "localhost" 127\\.0\\.0\\.1:(?:${first}|${second}) 200 `);
    await expect.poll(() => nginx.log('hosts'), soon).toMatch(carried);
  });

  it('passes TLS of hosts through unopened, by the name that they ask for and no other', async () => {
    const doors = { 8444: '8444', 8445: '8445', 8446: '8446', 8449: '8449' } as const;
    for (const door of Object.keys(doors).map(Number) as (keyof typeof doors)[]) {
      const port = edge.ports[door];
      const hands = await shakeHands(port, 'localhost');
      expect(hands, `${door}`).toHaveProperty('certificate');
      // The door of the process answers with a certificate of its own authority; the edge has none for it.
      expect('certificate' in hands && hands.certificate.subjectaltname).toContain('URI:spiffe://');
      expect(await shakeHands(port, 'other.example.org')).not.toHaveProperty('certificate');
      expect(await shakeHands(port, undefined)).not.toHaveProperty('certificate');
      expect(await sayPlainly(port, 'GET / HTTP/1.1\r\n\r\n')).toBe('');
    }
  });

  it('brings webhooks of payments byte for byte, so that their signatures hold', async () => {
    const body = Buffer.from(
      JSON.stringify({
        id: 'evt_edge',
        object: 'event',
        type: 'ping',
        created: 1,
        data: { object: { é: '\u2028 "' } },
      }),
    );
    const send = (bytes: Buffer, signature: string): Promise<Answer> =>
      askEdge({
        ...{ port: edgePort(), path: webhookPath, method: 'POST', body: bytes },
        headers: { 'content-type': 'application/json', 'stripe-signature': signature },
      });
    const signature = signBody(await running.webhookSecret(), body, new Date());
    expect(await send(body, signature)).toMatchObject({ status: 200, body: '{"received":true}' });
    expect((await send(Buffer.concat([body, Buffer.from(' ')]), signature)).status).toBe(400);
  });

  it('leads to apps by their names, with requests and WebSockets', async () => {
    const slug = `echo-${systemIds.next().slice(-8)}`;
    const app = await call('POST', `/api/v1/projects/${projectId}/apps`, { slug, name: 'Echo' });
    await call('POST', `/api/v1/apps/${app.id}/versions`, { manifest: testManifest({ slug }) });
    const made = await call('POST', '/api/v1/app-instances', {
      ...{ app: app.reference, parameters: { greeting: 'Hi' } },
      allocation: { sku: 'h200-sxm-baremetal-8g', region: 'local', gpus: 8 },
    });
    const path = `/api/v1/app-instances/${made.id}`;
    await expect.poll(async () => (await call('GET', path)).state, soon).toBe('running');
    const routes: { family: string; url: string }[] = (await call('GET', path)).routes;
    const hostOf = (family: string) => new URL(routes.find((route) => route.family === family)?.url ?? '').host;
    const asked = (family: string, rest: object) =>
      askEdge({ port: edgePort(), path: '/v1/models', headers: { host: hostOf(family), ...rest } });
    const bearer = { authorization: `Bearer ${token}` };
    await expect.poll(async () => (await asked('api', bearer)).status, soon).toBe(200);
    expect((await asked('api', {})).status).toBe(401);

    const away = await asked('browser', { accept: 'text/html' });
    const to = new URL(String(away.headers['location']));
    expect({ status: away.status, origin: to.origin }).toEqual({ status: 302, origin: edge.url });
    const kept = cookieOf(away);
    const signedIn = await call('POST', '/api/v1/app-sign-ins', {
      ...{ label: to.searchParams.get('label'), state: to.searchParams.get('state'), to: '/' },
    });
    const { pathname, search, host, origin } = new URL(signedIn.redirect_url);
    const back = await askEdge({ port: edgePort(), path: pathname + search, headers: { host, cookie: kept } });
    const cookie = cookieOf(back);
    expect(String(back.headers['set-cookie'])).toContain('__Host-gpuaas-app=');
    const socket = new WebSocket(`wss://127.0.0.1:${edgePort()}/ws`, {
      ...{ headers: { host, origin, cookie }, servername: host.replace(/:\d+$/, '') },
    });
    const heard: string[] = [];
    socket.on('message', (data) => heard.push(data.toString()));
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    socket.send('hello');
    await expect.poll(() => heard, soon).toContain('hello');
    socket.close();
    await call('POST', `${path}/release`);
  });

  it('refuses bodies that no operation takes, and a flood from one address', async () => {
    const long = { ...{ port: edgePort(), path: '/api/v1/me', method: 'POST' }, body: Buffer.alloc(2 << 20) };
    expect((await askEdge(long)).status).toBe(413);
    const answered = await flood(edge.url, '/favicon.ico', '127.0.0.9');
    expect(answered.get('edge 429'), JSON.stringify([...answered])).toBeGreaterThan(100);
    // Others are served all the while.
    expect((await ask(edge.url, token)).status).toBe(200);
  });

  it('writes no secret into its logs', async () => {
    const text = (await nginx.log('access')) + (await nginx.log('hosts'));
    expect(text).toContain('/oidc/');
    expect(text).not.toMatch(/[?&](?:code|state|t|token)=/);
    expect(text).not.toContain(token);
  });

  it('goes on when one of two api processes ends', async () => {
    await running.copies[0]?.stop();
    const statuses = [];
    for (let time = 0; time < 20; time += 1) statuses.push((await ask(edge.url, token)).status);
    expect([...new Set(statuses)]).toEqual([200]);
  });
});

const cookieOf = ({ headers }: Answer) => String([headers['set-cookie']].flat()[0] ?? '').split(';', 1)[0] ?? '';

describe('nginx on a private network alone', { timeout: patience }, () => {
  let inside: typeof nginx;
  beforeAll(async () => {
    const folder = join(edge.folder, 'vpn');
    await mkdir(folder);
    inside = await startNginx('nginx-vpn.conf', folder, edge.places);
  }, patience);
  afterAll(() => inside?.close());

  it('serves callers of the VPN and refuses others, whatever way they come', async () => {
    expect((await inside.test()).match(/\[(?:warn|emerg|alert)\].*/g)).toBeNull();
    const asked = (from: string, path: string) => askEdge({ port: edgePort(), to: vpn.edge, from, path });
    expect((await asked(vpn.caller, '/api/v1/sign-in')).status).toBe(200);
    expect((await asked('127.0.0.1', '/api/v1/sign-in')).status).toBe(403);
    const door = edge.ports[8444];
    expect(await shakeHands(door, 'localhost', { to: vpn.edge, from: vpn.caller })).toHaveProperty('certificate');
    expect(await shakeHands(door, 'localhost', { to: vpn.edge, from: '127.0.0.1' })).not.toHaveProperty('certificate');
  });

  it('takes webhooks of payments from the internet, and nothing else', async () => {
    const asked = (path: string, method: string) => askEdge({ port: edgePort(), to: vpn.internet, path, method });
    // Unsigned, so the api refuses it: it did arrive there.
    const refused = await asked(webhookPath, 'POST');
    expect({ status: refused.status, isOurs: refused.headers['x-request-id'] !== undefined }).toEqual({
      ...{ status: 400, isOurs: true },
    });
    for (const path of ['/', '/api/v1/sign-in', '/oidc/', `${webhookPath}/x`]) {
      expect((await asked(path, 'GET')).status).toBe(404);
    }
    for (const port of [80, 8444, 8445, 8446, 8449] as const) {
      expect(await sayPlainly(edge.ports[port], 'x', vpn.internet)).toBe('refused');
    }
  });
});

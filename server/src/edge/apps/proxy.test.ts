import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type AppRig, answering, cookie, label, openAppRig } from './testing.ts';

let rig: AppRig;
const open = async (...settings: Parameters<typeof openAppRig>) => {
  rig = await openAppRig(...settings);
};
const reopen = async (...settings: Parameters<typeof openAppRig>) => {
  await rig.close();
  await open(...settings);
};
beforeEach(() => open());
afterEach(() => rig.close());

const own = `http://${label}.apps.localhost`;
const echoed = (body: string) => JSON.parse(body) as { method: string; url: string; headers: Record<string, string> };
const websocket = (headers: Record<string, string> = { origin: own }) =>
  new WebSocket(`ws://127.0.0.1:${rig.proxy.port}/ws`, {
    headers: { host: `${label}.apps.localhost`, ...cookie, ...headers },
  });
const refusedWith = (socket: WebSocket) =>
  new Promise<number>((resolve) => {
    socket.once('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
    socket.once('error', () => undefined);
  });

describe('a request to an application', () => {
  it('reaches the container through the tunnel of its node, and the answer says that it is simulated', async () => {
    const page = await rig.call('/');
    expect(page.status).toBe(200);
    expect(page.body).toContain('This is simulated.');
    expect(page.headers['x-correlation-id']).toMatch(/^[0-9a-f-]{36}$/);
    const streamed = await rig.call('/stream');
    expect(streamed.body.match(/line \d of 5/g)).toHaveLength(5);
  });

  it('carries its body and the cookies of the application, and neither credentials nor headers that only we may write', async () => {
    const said = await rig.call('/echo?a=%2F', {
      method: 'POST',
      body: 'x'.repeat(300_000),
      headers: {
        origin: own,
        authorization: 'Bearer of-a-person',
        cookie: `${cookie.cookie}; theirs=1`,
        'x-gpuaas-user': 'root',
        'x-forwarded-for': '10.0.0.1',
        'x-forwarded-host': 'console.example',
        'x-secret-hop': 'yes',
        connection: 'close, x-secret-hop',
      },
    });
    const { method, url, headers, body_bytes } = JSON.parse(said.body);
    expect({ method, url, body_bytes }).toEqual({ method: 'POST', url: '/echo?a=%2F', body_bytes: 300_000 });
    expect(headers).toMatchObject({ cookie: 'theirs=1', 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'http' });
    expect(headers['x-forwarded-host']).toBe(`${label}.apps.localhost`);
    for (const name of ['authorization', 'x-gpuaas-user', 'x-secret-hop']) expect(headers).not.toHaveProperty(name);
    expect(said.body).not.toContain('of-a-person');
  });

  it('of the family of programs brings no cookie at all', async () => {
    rig.decide = () => ({ ...rig.admitted, route: { ...rig.admitted.route, family: 'api', auth: 'api_bearer' } });
    const said = await rig.call('/echo', {
      headers: { cookie: 'theirs=1', authorization: 'Bearer token-of-an-account' },
    });
    expect(rig.asked.at(-1)?.credential).toEqual({ kind: 'bearer', token: 'token-of-an-account' });
    expect(echoed(said.body).headers).not.toHaveProperty('cookie');
  });

  it('that is refused gets the same page as one to an application that does not exist', async () => {
    rig.decide = () => ({ decision: 'refused' });
    const foreign = await rig.call('/');
    const unknown = await rig.call('/', { host: 'nowhere.apps.localhost' });
    expect([foreign.status, unknown.status]).toEqual([404, 404]);
    const plain = (body: string) => body.replace(/"correlation_id":"[^"]+"/, '');
    expect(plain(foreign.body)).toBe(plain(unknown.body));
  });

  it('names who broke: the proxy, the node or the application', async () => {
    const failed_part = async () => {
      const { status, body } = await rig.call('/');
      return [status, JSON.parse(body).failed_part];
    };
    await rig.stopContainer();
    expect(await failed_part()).toEqual([503, 'app']);
    rig.admitted = { ...rig.admitted, node_id: '0191b2c4-1111-7000-8000-000000000099' };
    rig.decide = () => rig.admitted;
    await expect.poll(failed_part, { timeout: 5_000 }).toEqual([502, 'node']);
    rig.decide = () => 'outage';
    await expect.poll(failed_part, { timeout: 5_000 }).toEqual([503, 'proxy']);
    const page = await rig.call('/', { headers: { accept: 'text/html' } });
    expect(page.body).toContain(String(page.headers['x-correlation-id']));
  });

  it('is decided by the api once in a while, and not for each request of a page', async () => {
    await Promise.all(Array.from({ length: 20 }, () => rig.call('/healthz')));
    expect(rig.asked).toHaveLength(1);
  });

  it('above the limit of its route is turned away, and does not wait', async () => {
    await reopen({ perRoute: 1 });
    const socket = websocket();
    await new Promise((resolve) => socket.once('open', resolve));
    expect((await rig.call('/')).status).toBe(429);
    socket.terminate();
    await expect.poll(async () => (await rig.call('/')).status).toBe(200);
  });
});

describe('a WebSocket to an application', () => {
  it('carries messages both ways', async () => {
    const socket = websocket();
    const heard: string[] = [];
    socket.on('message', (data) => heard.push(data.toString()));
    await new Promise((resolve) => socket.once('open', resolve));
    socket.send('hello');
    socket.send('x'.repeat(200_000));
    await expect.poll(() => heard.map((one) => one.length)).toEqual(['[simulated] connected'.length, 5, 200_000]);
    socket.close();
  });

  it('is closed within five seconds after the right to it was taken away', async () => {
    const socket = websocket();
    await new Promise((resolve) => socket.once('open', resolve));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => undefined);
    const beganMs = performance.now();
    rig.decide = () => ({ decision: 'refused' });
    await closed;
    expect(performance.now() - beganMs).toBeLessThan(5_000);
    await expect.poll(() => rig.proxy.open).toBe(0);
  });

  it('is refused to a page of another application, and to one that does not say whose it is', async () => {
    expect(await refusedWith(websocket({ origin: 'http://evil.apps.localhost' }))).toBe(403);
    expect(await refusedWith(websocket({}))).toBe(403);
  });

  it('is refused without a sign-in', async () => {
    rig.decide = () => ({
      decision: 'sign_in',
      family: 'browser',
      sign_in_url: 'http://localhost:1/apps/open?route=x',
    });
    expect(await refusedWith(websocket())).toBe(401);
  });
});

describe('an application that answers what no application should', () => {
  let bytes = '';
  const thrown: unknown[] = [];
  const note = (error: unknown) => thrown.push(error);
  beforeEach(async () => {
    thrown.length = 0;
    process.on('uncaughtException', note);
    await reopen(
      {},
      answering(() => bytes),
    );
  });
  afterEach(() => {
    process.off('uncaughtException', note);
    expect(thrown).toEqual([]);
  });
  const answer = (first: string, ...headers: string[]) =>
    [first, 'Content-Length: 2', 'Connection: close', ...headers, '', 'ok'].join('\r\n');

  it.each([
    ['a status below all others', answer('HTTP/1.1 099 x')],
    ['the status zero', answer('HTTP/1.1 000 x')],
    ['a status above all others', answer('HTTP/1.1 600 x')],
    ['another protocol that nobody asked for', answer('HTTP/1.1 101 Switching Protocols')],
    ['a control character in a header', answer('HTTP/1.1 200 OK', 'X-A: a\u0001b')],
    ['a null in a header', answer('HTTP/1.1 200 OK', 'X-A: a\u0000b')],
    ['a name that is none', answer('HTTP/1.1 200 OK', 'X A: b')],
    ['no answer at all', 'hello'],
  ])('is named as the one that broke, and the proxy lives: %s', async (_what, said) => {
    bytes = said;
    const got = await rig.call('/');
    expect([got.status, JSON.parse(got.body).code]).toEqual([502, 'app_ended_early']);
    expect(await refusedWith(websocket())).toBe(502);
    bytes = answer('HTTP/1.1 200 OK');
    expect((await rig.call('/')).body).toBe('ok');
  });

  it('does not write the words beside the status', async () => {
    bytes = answer('HTTP/1.1 200 \u0001\u00ff<b>');
    const ask = `GET / HTTP/1.1\r\nHost: ${label}.apps.localhost\r\nCookie: ${cookie.cookie}\r\nConnection: close\r\n\r\n`;
    expect(await rig.say(ask)).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    bytes = answer('HTTP/1.1 403 \u0001 x');
    const upgrade = `Origin: ${own}\r\nUpgrade: websocket\r\nConnection: Upgrade`;
    expect(await rig.say(ask.replace('Connection: close', upgrade))).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/);
  });

  it('cannot switch a WebSocket to another protocol', async () => {
    bytes = 'HTTP/1.1 101 x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n';
    expect(await refusedWith(websocket())).toBe(502);
    expect((await rig.call('/')).status).toBe(502);
  });

  it('cannot clear what browsers keep for its neighbours, and is shown in no frame of theirs', async () => {
    bytes = answer(
      'HTTP/1.1 200 OK',
      'Clear-Site-Data: "cookies", "storage"',
      'Content-Security-Policy: default-src *',
    );
    const { headers } = await rig.call('/');
    expect(headers).not.toHaveProperty('clear-site-data');
    expect(headers['content-security-policy']).toBe("default-src *, frame-ancestors 'self'");
    rig.decide = () => ({ ...rig.admitted, route: { ...rig.admitted.route, family: 'api', auth: 'api_bearer' } });
    const program = await rig.call('/', { headers: { cookie: '', authorization: 'Bearer token-of-an-account' } });
    expect(program.headers['content-security-policy']).toBe('default-src *');
  });
});

describe('callers that nobody knows', () => {
  const random = () => ({ cookie: `gpuaas-app=${crypto.randomUUID()}` });
  const refused = () => ({ decision: 'refused' }) as const;

  it('have a budget for their address, and those who were let in do not share it', async () => {
    await reopen({ strangers: { perMinute: 3, perAddress: 8, inTotal: 8 }, cacheMs: 0 });
    expect((await rig.call('/')).status).toBe(200);
    rig.decide = ({ credential }) =>
      credential.kind === 'session' && credential.secret === 's'.repeat(40) ? rig.admitted : refused();
    const statuses: number[] = [];
    for (let at = 0; at < 4; at += 1) statuses.push((await rig.call('/', { headers: random() })).status);
    expect(statuses).toEqual([404, 404, 429, 429]);
    const late = await rig.call('/', { host: 'new-name.apps.localhost', headers: { cookie: '' } });
    expect([late.status, Number(late.headers['retry-after'])]).toEqual([429, expect.any(Number)]);
    expect(Number(late.headers['retry-after'])).toBeGreaterThan(0);
    const sign = createHash('sha256').update('v'.repeat(40)).digest('hex');
    const back = await rig.call(`/.gpuaas/callback?code=${'c'.repeat(40)}&state=${sign}`, {
      headers: { cookie: `gpuaas-app-state=${'v'.repeat(40)}` },
    });
    expect([back.status, rig.redeemed]).toEqual([429, []]);
    expect((await rig.call('/')).status).toBe(200);
  });

  it('do not ask more at once than a part of the connections to the api carries', async () => {
    await reopen({ strangers: { perMinute: 600, perAddress: 2, inTotal: 2 }, cacheMs: 0 });
    expect((await rig.call('/')).status).toBe(200);
    const socket = websocket();
    await new Promise((resolve) => socket.once('open', resolve));
    const asked = rig.asked.length;
    const held = Promise.withResolvers<void>();
    rig.hold = () => held.promise;
    const waiting = [rig.call('/', { headers: random() }), rig.call('/', { headers: random() })];
    await expect.poll(() => rig.asked.length).toBeGreaterThanOrEqual(asked + 2);
    const over = await rig.call('/', { headers: random() });
    expect([over.status, JSON.parse(over.body).code]).toEqual([503, 'app_overloaded']);
    expect(Number(over.headers['retry-after'])).toBeGreaterThan(0);
    rig.hold = async () => undefined;
    expect((await rig.call('/')).status).toBe(200);
    // What is open is asked about beside them.
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => undefined);
    rig.decide = refused;
    await closed;
    held.resolve();
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([404, 404]);
  });
});

describe('signing in at the host of an application', () => {
  const digest = (text: string) => createHash('sha256').update(text).digest('hex');
  const away = () => rig.call('/lab?x=1', { headers: { accept: 'text/html', cookie: '' } });
  beforeEach(() => {
    rig.decide = ({ credential }) =>
      credential.kind === 'session'
        ? rig.admitted
        : { decision: 'sign_in', family: 'browser', sign_in_url: `http://localhost:1/apps/open?route=${label}` };
  });

  it('goes to the console with a state, and comes back with a code for a cookie of this host alone', async () => {
    const sent = await away();
    expect(sent.status).toBe(302);
    const to = new URL(String(sent.headers.location));
    expect([to.pathname, to.searchParams.get('to')]).toEqual(['/apps/open', '/lab?x=1']);
    const state = to.searchParams.get('state');
    const [stateCookie = ''] = sent.headers['set-cookie'] ?? [];
    const [kept = ''] = stateCookie.split(';', 1);
    expect(digest(kept.slice('gpuaas-app-state='.length))).toBe(state);
    expect(stateCookie).toMatch(/HttpOnly; SameSite=Lax; Path=\/$/);
    const back = `/.gpuaas/callback?code=${'c'.repeat(40)}&state=${state}&to=%2Flab%3Fx%3D1`;
    const done = await rig.call(back, { headers: { cookie: kept } });
    expect(rig.redeemed).toEqual([{ code: 'c'.repeat(40), state }]);
    expect([done.status, done.headers.location]).toEqual([302, '/lab?x=1']);
    expect(done.headers['set-cookie']?.[0]).toMatch(/^gpuaas-app=s{40}; Max-Age=\d+; HttpOnly; SameSite=Lax; Path=\/$/);
  });

  it('does not work for one who saw the address of the way back, and not the cookie', async () => {
    const state = new URL(String((await away()).headers.location)).searchParams.get('state');
    const back = `/.gpuaas/callback?code=${'c'.repeat(40)}&state=${state}`;
    expect((await rig.call(back, { headers: { cookie: `gpuaas-app-state=${state}` } })).status).toBe(401);
    expect((await rig.call(back, { headers: { cookie: '' } })).status).toBe(401);
    expect(rig.redeemed).toEqual([]);
  });

  it('does not work with a state of another browser, another code, or a way back to another address', async () => {
    const verifier = 'd'.repeat(40);
    const state = digest(verifier);
    const finish = (query: string, kept = verifier) =>
      rig.call(`/.gpuaas/callback?${query}`, { headers: { cookie: `gpuaas-app-state=${kept}` } });
    const code = 'c'.repeat(40);
    expect((await finish(`code=${code}&state=${state}`, 'e'.repeat(40))).status).toBe(401);
    expect((await finish(`code=${'f'.repeat(40)}&state=${state}`)).status).toBe(401);
    for (const to of ['//evil.example/', '/\\evil.example', 'https://evil.example', '/.gpuaas/callback']) {
      const done = await finish(`code=${code}&state=${state}&to=${encodeURIComponent(to)}`);
      expect(done.headers.location, to).toBe('/');
    }
  });

  it('is no answer to a program: it gets 401', async () => {
    expect((await rig.call('/', { headers: { cookie: '' } })).status).toBe(401);
    expect((await rig.call('/', { method: 'POST', headers: { cookie: '', accept: 'text/html' } })).status).toBe(401);
  });
});

describe('what could be read in two ways', () => {
  const head = (lines: readonly string[], body = '') =>
    `${['POST /echo HTTP/1.1', ...lines].join('\r\n')}\r\n\r\n${body}`;
  const host = `Host: ${label}.apps.localhost`;
  const close = 'Connection: close';

  it.each([
    ['two lengths', head([host, 'Content-Length: 5', 'Content-Length: 6', close], 'hello')],
    ['a length and chunks', head([host, 'Content-Length: 5', 'Transfer-Encoding: chunked', close], '0\r\n\r\n')],
    ['chunks that are not last', head([host, 'Transfer-Encoding: chunked, identity', close], '0\r\n\r\n')],
    ['an encoding that nobody knows', head([host, 'Transfer-Encoding: xchunked', close], '0\r\n\r\n')],
    ['two hosts', head([host, 'Host: other.apps.localhost', close])],
    ['no host', head([close])],
    ['an absolute target', `GET http://other.apps.localhost/ HTTP/1.1\r\n${host}\r\n${close}\r\n\r\n`],
    ['a header on two lines', head([host, 'X-A: 1', ' folded', close])],
    ['a bare carriage return', head([host, 'X-A: 1\rX-B: 2', close])],
  ])('is refused: %s', async (_what, bytes) => {
    const asked = rig.asked.length;
    expect(await rig.say(bytes)).toMatch(/^HTTP\/1\.1 400 /);
    expect(rig.asked).toHaveLength(asked);
  });

  it.each([
    ['the domain itself', 'apps.localhost'],
    ['a name below the name', `a.${label}.apps.localhost`],
    ['another domain that begins alike', `${label}.apps.localhost.evil.example`],
    ['a name with an end of its own', `${label}.apps.localhost.`],
    ['a user before the name', `x@${label}.apps.localhost`],
  ])('is refused as a host: %s', async (_what, name) => {
    const said = await rig.call('/', { host: name });
    expect(said.status).toBe(400);
    expect(rig.asked).toEqual([]);
  });

  it('reaches no application below the path of the proxy, however the path is written', async () => {
    for (const path of ['/.gpuaas/x', '/%2egpuaas/x', '/.GPUAAS/x', '/%2Egpuaas%2fx']) {
      expect((await rig.call(path)).status, path).toBe(404);
    }
    expect(rig.asked).toEqual([]);
  });

  it('is refused to a page of another application that shares the site', async () => {
    const from = (headers: Record<string, string>, method = 'GET') => rig.call('/echo', { method, headers });
    expect((await from({ origin: 'http://evil.apps.localhost' }, 'POST')).status).toBe(403);
    expect((await from({ 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' })).status).toBe(403);
    for (const site of ['same-site', 'cross-site']) {
      const navigates = { 'sec-fetch-site': site, 'sec-fetch-mode': 'navigate' };
      expect((await from({ ...navigates, 'sec-fetch-dest': 'document' })).status).toBe(200);
      for (const dest of ['iframe', 'frame', 'embed', 'object']) {
        expect((await from({ ...navigates, 'sec-fetch-dest': dest })).status, dest).toBe(403);
      }
      expect((await from(navigates)).status).toBe(403);
    }
  });

  it('does not tunnel to other addresses', async () => {
    expect(await rig.say(`CONNECT 127.0.0.1:22 HTTP/1.1\r\n${host}\r\n\r\n`)).toBe('');
  });
});

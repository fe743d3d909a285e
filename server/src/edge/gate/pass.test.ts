import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { openBareMount, somebody } from '../../../test/hostile/bare-mount.ts';
import { makeTestClock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { makeGate } from './gate.ts';
import { free } from './pass.ts';
import { readProxies } from './proxies.ts';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const mount of opened.splice(0)) await mount.close();
});
async function open(perMinute: number, proxies?: string) {
  const looked: string[] = [];
  const noted: string[] = [];
  const mount = await openBareMount({
    // A clock that stands still: a budget that grows meanwhile would let a few more through on a slow machine.
    gate: makeGate({ clock: makeTestClock(), perMinute: () => perMinute }),
    proxies: { isTrusted: readProxies(proxies), note: (address) => void noted.push(address) },
    authenticate: async (authorization) => {
      looked.push(authorization ?? '');
      return authorization === 'Bearer good' ? somebody : new Fault('token_invalid', 'The token is not valid here.');
    },
    sessionOf: (cookie) => /session=(\w+)/.exec(cookie ?? '')?.[1],
    browser: async ({ cookie }) =>
      cookie?.includes('session=known') ? 'Bearer good' : new Fault('token_invalid', 'Over.'),
    handle: { project_get: async () => ({}), organization_create: async () => ({ value: {} }) },
  });
  mount.app.get('/from-memory', free, async () => 'here');
  opened.push(mount);
  const ask = async (headers: Record<string, string> = {}, remoteAddress = '192.0.2.1') =>
    (await mount.app.inject({ url: '/api/v1/me', headers, remoteAddress })).statusCode;
  const flood = async (times: number, headers: (n: number) => Record<string, string>, remoteAddress?: string) => {
    const seen = new Map<number, number>();
    for (let n = 0; n < times; n += 1) {
      const status = await ask(headers(n), remoteAddress);
      seen.set(status, (seen.get(status) ?? 0) + 1);
    }
    return Object.fromEntries(seen);
  };
  return { ...mount, ask, flood, looked, noted };
}

describe('a flood', () => {
  it('of forged tokens meets the budget of its address before any of them is looked at', async () => {
    const { flood, looked } = await open(20);
    expect(await flood(200, (n) => ({ authorization: `Bearer forged-${n}` }))).toEqual({ 401: 20, 429: 180 });
    expect(looked).toHaveLength(20);
  });

  it('of random cookies meets it too', async () => {
    const { flood } = await open(20);
    expect(await flood(100, (n) => ({ cookie: `session=random${n}` }))).toEqual({ 401: 20, 429: 80 });
  });

  it('from one address does not throttle those behind it who are known', async () => {
    const { flood, ask } = await open(20);
    for (const known of [{ authorization: 'Bearer good' }, { cookie: 'session=known' }]) await ask(known);
    await flood(100, (n) => ({ authorization: `Bearer forged-${n}` }));
    const of = async (headers: Record<string, string>) => new Set(Object.keys(await flood(100, () => headers)));
    expect(await of({ authorization: 'Bearer good' })).not.toContain('429');
    expect(await of({ cookie: 'session=known' })).not.toContain('429');
    expect(await of({ authorization: 'Bearer other' })).toEqual(new Set(['429']));
  });

  it('of pages that count nobody is paid for by its address, also with a credential that is known elsewhere', async () => {
    const { app, ask } = await open(20);
    app.get('/uncounted', async () => 'here');
    const headers = { authorization: 'Bearer good' };
    await ask(headers);
    const seen = [];
    for (let n = 0; n < 40; n += 1) {
      seen.push((await app.inject({ url: '/uncounted', headers, remoteAddress: '192.0.2.1' })).statusCode);
    }
    expect(seen.filter((status) => status === 200)).toHaveLength(19);
    expect(await ask(headers)).not.toBe(429);
  });

  it('of one /64 is one flood, however many addresses it comes from', async () => {
    const { ask } = await open(10);
    const statuses = new Set<number>();
    for (let n = 1; n <= 11; n += 1) statuses.add(await ask({}, `2001:db8::${n.toString(16)}`));
    expect(statuses).toEqual(new Set([401, 429]));
    expect(await ask({}, '2001:db8:0:1::1')).toBe(401);
  });

  it('is told how long to wait', async () => {
    const { flood, app } = await open(1);
    await flood(2, () => ({}));
    const reply = await app.inject({ url: '/api/v1/me', remoteAddress: '192.0.2.1' });
    expect(reply.json()).toMatchObject({ code: 'rate_limit_exceeded' });
    expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('does not reach what is answered from memory', async () => {
    const { flood, app } = await open(1);
    await flood(10, () => ({}));
    expect((await app.inject({ url: '/from-memory', remoteAddress: '192.0.2.1' })).statusCode).toBe(200);
  });
});

describe('forwarded headers', () => {
  const forwarded = (address: string) => ({ 'x-forwarded-for': address });
  it('are ignored and noted when their sender is not listed', async () => {
    const { flood, noted } = await open(10);
    expect(await flood(20, (n) => forwarded(`198.51.100.${n}`))).toEqual({ 401: 10, 429: 10 });
    expect(new Set(noted)).toEqual(new Set(['192.0.2.1']));
  });

  it('name the caller when their sender is listed', async () => {
    const { flood, noted } = await open(10, '192.0.2.0/24');
    expect(await flood(20, (n) => forwarded(`198.51.100.${n}`))).toEqual({ 401: 20 });
    expect(await flood(20, () => forwarded('198.51.100.250'))).toEqual({ 401: 10, 429: 10 });
    expect(noted).toEqual([]);
  });

  it('cannot be forged through a listed proxy: the address that it saw counts', async () => {
    const { flood } = await open(10, '192.0.2.0/24');
    expect(await flood(20, (n) => forwarded(`203.0.113.${n}, 198.51.100.7`))).toEqual({ 401: 10, 429: 10 });
  });
});

describe('a body', () => {
  it('is not waited for when its sender is refused without it', async () => {
    const { app } = await open(1_000);
    await app.listen({ host: '127.0.0.1', port: 0 });
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
    await once(socket, 'connect');
    // The body is announced and never sent.
    const lines = ['POST /api/v1/organizations HTTP/1.1', 'host: a', 'content-type: application/json'];
    socket.write(`${[...lines, 'content-length: 200000', 'authorization: Bearer forged'].join('\r\n')}\r\n\r\n{`);
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
    expect(answer.toLowerCase()).toContain('connection: close');
  });
});

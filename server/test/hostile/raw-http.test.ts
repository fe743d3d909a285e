import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Reply } from '../../src/testing/world.ts';
import { type BareMount, openBareMount } from './bare-mount.ts';
import { expectPromised } from './promises.ts';

/** What only a socket can say: requests that are not quite HTTP, and paths that no client library would send. */
let mount: BareMount;
let port: number;

beforeAll(async () => {
  mount = await openBareMount({
    handle: { project_get: async (who) => ({ who }), organization_create: async () => ({ value: {} }) },
  });
  await mount.app.listen({ host: '127.0.0.1', port: 0 });
  port = (mount.app.server.address() as AddressInfo).port;
});
afterAll(() => mount.close());

/** Sends the very bytes, and reads until the other side hangs up. */
async function speak(...lines: readonly string[]): Promise<Reply> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(lines.join('\r\n'));
  return understood(await text(socket));
}
function understood(answer: string): Reply {
  const [head = '', ...rest] = answer.split('\r\n\r\n');
  const [first = '', ...headers] = head.split('\r\n');
  const body = rest.join('\r\n\r\n');
  return {
    status: Number(first.split(' ')[1]),
    headers: Object.fromEntries(
      headers.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
    ),
    text: body,
    body: body.startsWith('{') ? JSON.parse(body) : undefined,
  };
}
const ask = (method: string, target: string, ...more: readonly string[]) =>
  speak(`${method} ${target} HTTP/1.1`, 'Host: x', 'Connection: close', ...more, '', '');

describe('a request that HTTP does not allow', () => {
  it.each([
    [
      'headers larger than we read',
      ['GET /api/v1/version HTTP/1.1', 'Host: x', `X-Big: ${'a'.repeat(20_000)}`, '', ''],
    ],
    ['a method that does not exist', ['BREW /api/v1/version HTTP/1.1', 'Host: x', '', '']],
    ['a space in the path', ['GET /api/v1/ver sion HTTP/1.1', 'Host: x', '', '']],
    ['a NUL in a header', ['GET /api/v1/version HTTP/1.1', 'Host: x', 'X-A: a\u0000b', '', '']],
    [
      'two lengths',
      ['POST /api/v1/organizations HTTP/1.1', 'Host: x', 'Content-Length: 1', 'Content-Length: 2', '', 'ab'],
    ],
    [
      'a length and chunks',
      [
        'POST /api/v1/organizations HTTP/1.1',
        'Host: x',
        'Content-Length: 5',
        'Transfer-Encoding: chunked',
        '',
        '0',
        '',
        '',
      ],
    ],
    [
      'a chunk of no size',
      ['POST /api/v1/organizations HTTP/1.1', 'Host: x', 'Transfer-Encoding: chunked', '', 'zz', 'a', ''],
    ],
    ['another protocol', ['SSH-2.0-OpenSSH_9.2', '', '']],
  ])('is refused as a problem: %s', async (_, lines) => {
    const reply = await speak(...lines);
    expect(reply.status).toBe(400);
    expect(reply.headers['content-type']).toBe('application/problem+json; charset=utf-8');
    expect(reply.body).toMatchObject({ code: 'invalid_request', correlation_id: reply.headers['x-request-id'] });
    expect(reply.headers['x-content-type-options']).toBe('nosniff');
  });

  it('is refused by Node itself when it names no host', async () => {
    expect(await speak('GET /api/v1/version HTTP/1.1', '', '')).toMatchObject({
      status: 400,
      headers: { connection: 'close' },
    });
  });
});

describe('a path', () => {
  it.each([
    ['//api/v1/version', 404],
    ['/api//v1/version', 404],
    ['/api/v1/version/', 404],
    ['/api/v1/./version', 404],
    ['/api/v1/projects/../version', 404],
    ['/api/v1/projects/%2e%2e', 400],
    ['/api/v1/projects/%2fapi%2fv1%2fversion', 400],
    ['/api/v1/projects/..%2f..%2fversion', 400],
    ['/api/v1%2fversion', 404],
    ['/api/v1/projects/%00', 400],
    ['/api/v1/projects/%zz', 400],
    [`/api/v1/projects/${'a'.repeat(500)}`, 400],
    [`/${'a'.repeat(10_000)}`, 404],
    ['/', 404],
    ['/api/v1/projects/;a=b', 400],
    ['/api/v1/projects/\\..\\version', 400],
    ['/api/v1/version#fragment', 400],
  ])('is taken to the letter: %s', async (target, status) => {
    const reply = await ask('GET', target, 'Authorization: Bearer t');
    expect(reply.status, reply.text).toBe(status);
    expect(reply.headers['content-type']).toBe('application/problem+json; charset=utf-8');
    expect(reply.headers['x-request-id']).toBe(reply.body.correlation_id);
    expect(reply.text.length).toBeLessThan(1_000);
  });

  it('in absolute form is the same path, whatever host it names', async () => {
    const reply = await ask('GET', 'http://elsewhere.test/api/v1/version');
    expect(reply).toMatchObject({ status: 200, body: { product: 'gpuaas' } });
  });
});

describe('a method', () => {
  it('that a path does not take is refused, naming those that it takes', async () => {
    for (const method of ['OPTIONS', 'TRACE', 'PUT', 'DELETE', 'PROPFIND']) {
      const reply = await ask(method, '/api/v1/version');
      expect(reply, method).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } });
      expect(reply.headers['allow']).toBe('GET, HEAD');
      expectPromised(method, '/api/v1/version', reply);
    }
  });

  it('TRACE repeats nothing of the request', async () => {
    const reply = await ask('TRACE', '/api/v1/version', 'Cookie: session=canary', 'Authorization: Bearer canary');
    expect(reply.text).not.toContain('canary');
  });

  it('HEAD answers as GET does, without the body', async () => {
    const [get, head] = [await ask('GET', '/api/v1/version'), await ask('HEAD', '/api/v1/version')];
    expect(head.status).toBe(200);
    expect(head.text).toBe('');
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
    const refused = await ask('HEAD', '/api/v1/organizations');
    expect(refused).toMatchObject({ status: 401, text: '' });
  });

  it('cannot be changed by a header', async () => {
    const reply = await ask('GET', '/api/v1/version', 'X-HTTP-Method-Override: DELETE');
    expect(reply.status).toBe(200);
  });

  it('CONNECT opens no tunnel', async () => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write('CONNECT 127.0.0.1:1 HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(await text(socket)).toBe('');
  });
});

describe('a body', () => {
  it('that is announced as too large is refused before it is read', async () => {
    const reply = await ask(
      'POST',
      '/api/v1/organizations',
      'Authorization: Bearer t',
      'Content-Type: application/json',
      'Content-Length: 999999999',
    );
    expect(reply).toMatchObject({ status: 413, body: { code: 'payload_too_large' } });
  });

  it('that grows too large in chunks is refused while it is read', async () => {
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
    const reply = await ask(
      'POST',
      '/api/v1/organizations',
      'Authorization: Bearer t',
      'Content-Type: application/json',
      'Transfer-Encoding: chunked',
      '',
      chunk.repeat(5),
    );
    expect(reply).toMatchObject({ status: 413, body: { code: 'payload_too_large' } });
  });

  it('that was compressed is not unpacked', async () => {
    const reply = await ask(
      'POST',
      '/api/v1/organizations',
      'Content-Type: application/json',
      'Content-Encoding: gzip',
      'Content-Length: 2',
      'Authorization: Bearer t',
      '',
      '\u001f\u008b',
    );
    expect(reply.status).toBe(400);
  });

  it('of an unknown path is not waited for', async () => {
    const reply = await ask('POST', '/nowhere', 'Content-Type: application/json', 'Content-Length: 100');
    expect(reply).toMatchObject({ status: 404, body: { code: 'route_not_found' } });
  });

  it('that ends early leaves a server that goes on', async () => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.end(
      'POST /api/v1/organizations HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{"a"',
    );
    await text(socket);
    expect((await ask('GET', '/api/v1/version')).status).toBe(200);
  });
});

describe('a connection', () => {
  it('carries several requests, each with its own id', async () => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    const one = 'GET /api/v1/version HTTP/1.1\r\nHost: x\r\n';
    socket.write(`${one}\r\n${one}\r\n${one}Connection: close\r\n\r\n`);
    const ids = [...(await text(socket)).matchAll(/^x-request-id: (\S+)\r$/gim)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(3);
  });
});

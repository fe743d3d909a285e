import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { type Duplex, duplexPair } from 'node:stream';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../clock.ts';
import { first, makeWork } from '../../host/conformance-rig.ts';
import { awaitReady } from './await-ready.ts';

const workload_id = '0198c0de-0000-7000-8000-000000000001';
const params = { allocation_id: first, workload_id, port: 8080, path: '/healthz', wait_seconds: 1 };

/** Asks once: the container is said to run no more after that. */
const askOnce = (connectContainer: () => Promise<Duplex>) =>
  awaitReady({ host: { connectContainer, containers: async () => [] }, clock: systemClock }, params, makeWork());

/** A program that hears the whole question, and then says these pieces. */
function program(pieces: readonly string[], { stays = false } = {}) {
  const [near, far] = duplexPair();
  let heard = '';
  const answer = async () => {
    for (const piece of pieces) await new Promise((resolve) => far.write(piece, resolve));
    if (!stays) far.end();
  };
  far.on('data', (chunk: Buffer) => {
    heard += chunk.toString();
    if (heard.endsWith('\r\n\r\n')) answer().catch(() => far.destroy());
  });
  far.on('error', () => far.destroy());
  return { connect: async () => near, near, heard: () => heard };
}

afterEach(() => {
  vi.useRealTimers();
});

describe('a container that is asked whether it is ready', () => {
  it('is, when a server of HTTP answers what was asked for', async () => {
    const asked: unknown[] = [];
    const server = createServer(({ method, url, headers }, response) => {
      asked.push([method, url, headers.host]);
      response.end('well');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    expect(await askOnce(async () => connect(port, '127.0.0.1'))).toMatchObject({ ready: true });
    expect(asked).toEqual([['GET', '/healthz', 'localhost:8080']]);
    server.close();
  });

  it.each([
    [['HTTP/1.1 200 OK\r\n\r\n'], true, 'It answers.'],
    [['HTTP/1.0 404 Not Found\n\n'], true, 'It answers.'],
    [['HTT', 'P/1.1 20', '4\r\nserver: x\r\n', '\r\n'], true, 'It answers.'],
    [['HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n', 'HTTP/1.1 503 Later\r\n\r\n'], false, 'It answered 503.'],
    [['HTTP/1.1 500\r\n\r\n'], false, 'It answered 500.'],
    [['SSH-2.0-x\r\n'], false, 'It does not answer in HTTP.'],
    [['HTTP/1.1 2000 OK\r\n\r\n'], false, 'It does not answer in HTTP.'],
    [[`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(20_000)}`], false, 'It does not answer in HTTP.'],
    [['HTTP/1.1 200 OK\r\n'], false, 'It closed the connection without an answer.'],
    [[], false, 'It closed the connection without an answer.'],
  ])('and says %j', async (pieces, ready, detail) => {
    const { connect, near } = program(pieces);
    expect(await askOnce(connect)).toEqual({ ready, detail, workload: null });
    expect(near.destroyed).toBe(true);
  });

  it('is not, when it says nothing for too long', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { connect, near, heard } = program([], { stays: true });
    const asked = askOnce(connect);
    while (heard() === '') await new Promise((resolve) => setImmediate(resolve));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await asked).toMatchObject({ ready: false, detail: 'It did not answer in time.' });
    expect(near.destroyed).toBe(true);
  });
});

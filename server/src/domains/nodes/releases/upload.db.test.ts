import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemIds } from '../../../kernel/id.ts';
import type { Objects } from '../../../ports/objects/port.ts';
import { openWorld, type World } from '../../../testing/world.ts';
import { digestOf, uploadPath } from './testing.ts';

/**
 * The upload of a release over a real connection. The store counts: what the process has read from the connection and the store
 * was not yet given is what the process holds.
 */
const mib = 1_024 * 1_024;
const mostHeldBytes = mib;

let world: World;
let port: number;
let operator: string;
let arriving: Socket | undefined;
let store: Objects;
let [taken, mostHeld, puts] = [0, 0, 0];

/** Gives the connection every chance to be read ahead of the store. */
const letRead = async () => {
  for (let turn = 0; turn < 20; turn += 1) await setImmediate();
};
async function* counted(body: Readable): AsyncGenerator<Buffer> {
  for await (const chunk of body as AsyncIterable<Buffer>) {
    await letRead();
    taken += chunk.length;
    mostHeld = Math.max(mostHeld, (arriving?.bytesRead ?? Number.POSITIVE_INFINITY) - taken + chunk.length);
    yield chunk;
  }
}
const onRequest = (message: unknown) => {
  arriving = (message as { readonly socket: Socket }).socket;
};

beforeAll(async () => {
  subscribe('http.server.request.start', onRequest);
  world = await openWorld({
    objects: (inner) => {
      store = inner;
      const put: Objects['put'] = async (key, body, options) => {
        puts += 1;
        return inner.put(key, Readable.from(counted(body as Readable)), options);
      };
      return { ...inner, put };
    },
  });
  operator = await world.operator();
  ({ port } = await world.listen());
});
afterAll(async () => {
  unsubscribe('http.server.request.start', onRequest);
  await world.close();
});
beforeEach(() => {
  [taken, mostHeld, puts, arriving] = [0, 0, 0, undefined];
});

interface Sending {
  readonly declared: { readonly digest: string; readonly size: number };
  readonly headers?: Readonly<Record<string, string>>;
}
/** An open request, and its answer when it comes. A broken connection is no answer. */
function open({ declared, headers = {} }: Sending) {
  const sending: ClientRequest = request({
    ...{ host: '127.0.0.1', port, method: 'POST', path: uploadPath(declared), agent: false },
    headers: {
      authorization: `Bearer ${operator}`,
      'idempotency-key': systemIds.next(),
      'content-type': 'application/octet-stream',
      'content-length': declared.size,
      ...headers,
    },
  });
  const answer = new Promise<{ readonly status: number; readonly body: { readonly code?: string } } | undefined>(
    (resolve) => {
      sending.once('response', (response: IncomingMessage) => {
        const answered = (body: unknown) =>
          resolve({ status: response.statusCode ?? 0, body: body as { code?: string } });
        json(response).then(answered, () => resolve(undefined));
      });
      sending.once('error', () => resolve(undefined));
    },
  );
  return { sending, answer };
}
async function write(sending: ClientRequest, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; at += 64 * 1_024) {
    if (!sending.write(bytes.subarray(at, at + 64 * 1_024))) await once(sending, 'drain');
  }
}
const describeBytes = (bytes: Buffer) => ({ digest: digestOf(bytes), size: bytes.length });
const keyOf = (digest: string) => `agent-releases/${digest.slice('sha256:'.length)}.mjs`;
const offered = async (digest: string) =>
  (await world.root.query('select from agent_releases where digest = $1', [digest])).rowCount;

describe('the upload of a release', () => {
  it('of 48 MiB reaches the store while the process never holds more than one', async () => {
    const bytes = Buffer.alloc(48 * mib, systemIds.next());
    const { sending, answer } = open({ declared: describeBytes(bytes) });
    await write(sending, bytes);
    sending.end();
    expect(await answer).toMatchObject({ status: 201, body: { size_bytes: bytes.length } });
    expect(taken).toBe(bytes.length);
    expect(mostHeld).toBeLessThan(mostHeldBytes);
    expect(await store.facts(keyOf(digestOf(bytes)))).toMatchObject({ size: bytes.length });
  });

  it('leaves nothing when the connection is cut', async () => {
    const bytes = Buffer.alloc(mib, systemIds.next());
    const declared = describeBytes(bytes);
    const { sending, answer } = open({ declared });
    sending.write(bytes.subarray(0, mib / 2));
    await expect.poll(() => taken, { timeout: 30_000 }).toBeGreaterThan(0);
    sending.destroy();
    expect(await answer).toBeUndefined();
    await expect.poll(() => arriving?.destroyed, { timeout: 30_000 }).toBe(true);
    // The same bundle is taken afterwards, as if nothing had been sent before.
    expect({ facts: await store.facts(keyOf(declared.digest)), offered: await offered(declared.digest) }).toEqual({
      facts: undefined,
      offered: 0,
    });
  });

  it('leaves nothing when its bytes have another digest, are too few or too many', async () => {
    const bytes = Buffer.alloc(mib, systemIds.next());
    const { digest } = describeBytes(bytes);
    const other = digestOf(Buffer.from(systemIds.next()));
    const chunked = { 'transfer-encoding': 'chunked', 'content-length': '' };
    for (const [declared, sent] of [
      [{ digest: other, size: bytes.length }, bytes],
      [{ digest, size: bytes.length }, bytes.subarray(1)],
      [{ digest, size: bytes.length - 1 }, bytes],
    ] as const) {
      const { sending, answer } = open({ declared, headers: chunked });
      sending.removeHeader('content-length');
      sending.end(sent);
      expect(await answer).toMatchObject({ status: 422, body: { code: 'agent_release_invalid' } });
      expect(await store.facts(keyOf(declared.digest))).toBeUndefined();
      expect(await offered(declared.digest)).toBe(0);
    }
  });

  it('is refused before its first byte is sent, to a sender that waits for leave', async () => {
    const bytes = Buffer.alloc(mib, systemIds.next());
    const declared = describeBytes(bytes);
    const stranger = await world.token('somebody');
    const ask = (headers: Readonly<Record<string, string>>) => {
      const { sending, answer } = open({ declared, headers: { expect: '100-continue', ...headers } });
      let mayContinue = false;
      sending.once('continue', () => {
        mayContinue = true;
        sending.end(bytes);
      });
      sending.flushHeaders();
      return answer.then((reply) => ({ status: reply?.status, code: reply?.body.code, mayContinue }));
    };
    const refused = { mayContinue: false };
    expect(await ask({ authorization: '' })).toEqual({ ...refused, status: 401, code: 'token_missing' });
    expect(await ask({ authorization: `Bearer ${stranger}` })).toMatchObject({ ...refused, status: 403 });
    expect(await ask({ 'idempotency-key': '' })).toMatchObject({ ...refused, status: 400 });
    expect(await ask({ 'content-type': 'application/json' })).toMatchObject({ ...refused, status: 415 });
    expect(await ask({ 'content-length': '7' })).toMatchObject({ ...refused, code: 'validation_error' });
    expect(puts).toBe(0);
    const key = systemIds.next();
    expect(await ask({ 'idempotency-key': key })).toMatchObject({ status: 201, mayContinue: true });
    expect(await ask({ 'idempotency-key': key })).toMatchObject({ ...refused, status: 201 });
    expect(await ask({})).toEqual({ ...refused, status: 409, code: 'agent_release_already_exists' });
    expect(puts).toBe(1);
  });

  it('that is refused while it is being sent gets its answer, and not a broken connection', async () => {
    const bytes = Buffer.alloc(16 * mib, systemIds.next());
    const stranger = await world.token('somebody');
    for (let time = 0; time < 5; time += 1) {
      const { sending, answer } = open({
        declared: describeBytes(bytes),
        headers: { authorization: `Bearer ${stranger}` },
      });
      sending.end(bytes);
      expect(await answer).toMatchObject({ status: 403, body: { code: 'admin_required' } });
    }
    expect(taken).toBe(0);
  });
});

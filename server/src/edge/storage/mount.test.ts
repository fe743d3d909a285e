import { PassThrough } from 'node:stream';
import fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Transfer } from '../../domains/storage/index.ts';
import { systemClock } from '../../kernel/clock.ts';
import { mountTransfers } from './mount.ts';
import { makeTransferSeats } from './seats.ts';

const until = Date.now() + 60_000;
const shown = { contentType: 'text/plain', contentDisposition: 'attachment', sizeBytes: 4 };
const readOf = (projectId: string): Transfer => ({ kind: 'read', blob: { projectId, blobId: 'b' }, shown, until });
const partOf = (projectId: string, number: number): Transfer => ({
  ...{ kind: 'part', upload: { projectId, blobId: 'b', handle: 'x' }, until },
  part: { number, sizeBytes: 4, sha256: '0'.repeat(64) },
});

/** An address may be used as often as its holder likes, until its time is over. */
describe('transfers at the same time', () => {
  let app: FastifyInstance;
  let url: string;
  const bodies: PassThrough[] = [];
  const addresses: Record<string, Transfer> = {
    mine: readOf('project-1'),
    theirs: readOf('project-2'),
    part: partOf('project-1', 1),
    otherPart: partOf('project-1', 2),
  };
  beforeEach(async () => {
    app = fastify();
    await mountTransfers(app, {
      storage: {
        async read() {
          const body = new PassThrough();
          body.write('a');
          bodies.push(body);
          return body;
        },
        async putPart(_, __, bytes) {
          for await (const _ of bytes);
        },
      },
      transfers: { open: (token) => addresses[token] },
      rateLimit: async () => ({ allowed: true, limit: 1, remaining: 1, resetSeconds: 1, firstRefusal: false }),
      clock: systemClock,
      seats: makeTransferSeats({ perProject: 2, perPart: 1, inTotal: 3 }),
    });
    url = await app.listen({ host: '127.0.0.1', port: 0 });
  });
  afterEach(async () => {
    for (const body of bodies.splice(0)) body.destroy();
    app.server.closeAllConnections();
    await app.close();
  });
  const get = (token: string, stop?: AbortController) =>
    fetch(`${url}/transfers?t=${token}`, { ...(stop && { signal: stop.signal }) });
  const put = (token: string, stop: AbortController) =>
    fetch(`${url}/transfers?t=${token}`, {
      ...{
        method: 'PUT',
        duplex: 'half',
        signal: stop.signal,
        headers: { 'content-type': 'application/octet-stream' },
      },
      body: new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from('ab')) }),
    } as RequestInit);

  it('are as many for a project as it has seats, and those of others go on', async () => {
    const stop = new AbortController();
    expect((await get('mine', stop)).status).toBe(200);
    expect((await get('mine')).status).toBe(200);
    const refused = await get('mine');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '2']);
    expect((await get('theirs')).status).toBe(200);
    expect((await get('theirs')).status).toBe(429);
    stop.abort();
    await expect.poll(async () => (await get('mine')).status).toBe(200);
  });

  it('of one part are one: many that never end would fill the disk beyond the quota', async () => {
    const stop = new AbortController();
    const first = put('part', stop).catch(() => undefined);
    await expect
      .poll(async () => (await fetch(`${url}/transfers?t=part`, { method: 'PUT', body: 'abcd' })).status)
      .toBe(429);
    expect((await fetch(`${url}/transfers?t=otherPart`, { method: 'PUT', body: 'abcd' })).status).toBe(204);
    stop.abort();
    await first;
    await expect
      .poll(async () => (await fetch(`${url}/transfers?t=part`, { method: 'PUT', body: 'abcd' })).status)
      .toBe(204);
  });
});

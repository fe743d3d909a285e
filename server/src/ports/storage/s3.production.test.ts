import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '../../kernel/id.ts';
import { startS3, type TestS3 } from '../../testing/servers/s3.ts';
import { storageConformance } from './conformance.ts';
import { openStorage } from './open.ts';
import type { Storage } from './port.ts';

storageConformance('s3', async () => {
  const server = await startS3();
  await server.createBucket('tenants');
  const config = { kind: 's3', bucket: 'tenants', ...server.access } as const;
  return {
    config,
    open: () => openStorage(config),
    breakDown: () => server.kill(),
    recover: () => server.start(),
    close: () => server.close(),
  };
});

describe('presigned requests of storage in S3', () => {
  let server: TestS3;
  let storage: Storage;
  beforeAll(async () => {
    server = await startS3();
    await server.createBucket('tenants');
    storage = await openStorage({
      ...{ kind: 's3', bucket: 'tenants', ...server.access },
      directEndpoint: server.access.endpoint,
    });
  });
  afterAll(async () => {
    await storage?.close();
    await server?.close();
  });
  const shaOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
  const shown = { contentType: 'text/plain', contentDisposition: `attachment; filename*=UTF-8''gr%C3%B6%C3%9Fe.txt` };
  const begin = async () => {
    const blob = { projectId: systemIds.next(), blobId: systemIds.next() };
    return { ...blob, handle: await storage.begin(blob) };
  };
  const direct = () => {
    if (!storage.direct) throw new Error('the store has addresses of its own');
    return storage.direct;
  };

  it('carry a part and a download past us, with a range and the name of the file', async () => {
    const bytes = Buffer.from('checkpoint 1');
    const upload = await begin();
    const part = { number: 1, sizeBytes: bytes.length, sha256: shaOf(bytes) };
    const put = await direct().part(upload, part, 60);
    expect((await fetch(put.url, { method: 'PUT', headers: put.headers, body: bytes })).status).toBe(200);
    expect(await storage.parts(upload)).toEqual([part]);
    await storage.finish(upload, [part]);
    const get = await direct().read(upload, shown, 60);
    const whole = await fetch(get.url);
    expect([whole.status, await whole.text()]).toEqual([200, 'checkpoint 1']);
    expect(whole.headers.get('content-disposition')).toBe(shown.contentDisposition);
    const some = await fetch(get.url, { headers: { range: 'bytes=0-4' } });
    expect([some.status, await some.text()]).toEqual([206, 'check']);
  });

  it('are refused by the store for other bytes, another method, another blob, and after their time', async () => {
    const bytes = Buffer.from('checkpoint 1');
    const upload = await begin();
    const part = { number: 1, sizeBytes: bytes.length, sha256: shaOf(bytes) };
    const put = await direct().part(upload, part, 2);
    const send = (url: string, body: Buffer, headers: Readonly<Record<string, string>> = put.headers) =>
      fetch(url, { method: 'PUT', headers, body }).then(({ status }) => status);
    expect(await send(put.url, Buffer.from('checkpoint 2'))).toBe(400);
    expect(await send(put.url.replace(upload.blobId, systemIds.next()), bytes)).toBe(403);
    expect((await fetch(put.url)).status).toBe(403);
    const { 'x-amz-checksum-sha256': _, ...without } = put.headers;
    expect(await send(put.url, bytes, without)).toBe(403);
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(await send(put.url, bytes)).toBe(403);
    expect(await storage.parts(upload)).toEqual([]);
  });
});

import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Outage } from '../../kernel/fault.ts';
import { openWorld, type Tenant, type World } from '../../testing/world.ts';
import { type Ask, asking, fetchFile, local, sha256Of } from './testing.ts';

describe('transfers of storage', () => {
  let world: World;
  let tenant: Tenant;
  let ask: Ask;
  let port: number;
  let isAway = false;
  beforeAll(async () => {
    world = await openWorld({
      storage: (store) => ({
        ...store,
        parts: (upload) => (isAway ? Promise.reject(new Outage('the store is away')) : store.parts(upload)),
        begin: (...of) => (isAway ? Promise.reject(new Outage('the store is away')) : store.begin(...of)),
      }),
    });
    tenant = await world.found('transfers');
    ask = asking(world, tenant.token, tenant.projectId);
    ({ port } = await world.listen());
  });
  afterAll(() => world?.close());

  const begin = async (path: string, bytes: Buffer) => {
    const begun = await ask('POST', '/uploads', { path, size_bytes: bytes.length });
    const address = await ask('GET', `/uploads/${begun.body.id}/part?number=1&sha256=${sha256Of(bytes)}`);
    return { id: begun.body.id as string, url: local(address.body.url) };
  };
  /** Sends the first bytes of a part and hangs up. */
  const cutAt = async (url: string, bytes: Buffer, at: number): Promise<void> => {
    const socket = connect(port, '127.0.0.1');
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.on('error', () => undefined);
    const head = `PUT ${url} HTTP/1.1\r\nhost: x\r\ncontent-type: application/octet-stream\r\ncontent-length: ${bytes.length}\r\n\r\n`;
    socket.write(Buffer.concat([Buffer.from(head), bytes.subarray(0, at)]), () => socket.end());
    await text(socket).catch(() => '');
    socket.destroy();
    await closed;
  };

  it('show nothing of an upload that is cut at any byte, and take it again', async () => {
    const bytes = Buffer.from('0123456789abcdef');
    const { id, url } = await begin('shared/cut', bytes);
    for (let at = 0; at < bytes.length; at += 1) {
      await cutAt(url, bytes, at);
      expect((await ask('GET', `/uploads/${id}`)).body.parts).toEqual([]);
    }
    expect((await ask('POST', `/uploads/${id}/finish`, {})).body.code).toBe('storage_upload_incomplete');
    const sent = await fetch(`http://127.0.0.1:${port}${url}`, { method: 'PUT', body: bytes });
    expect(sent.status).toBe(204);
    expect((await ask('POST', `/uploads/${id}/finish`, {})).status).toBe(201);
    expect(await fetchFile(world, ask, 'path=shared/cut')).toBe(bytes.toString());
  });

  it('end with a clear refusal while the store is away, and go on when it is back', async () => {
    const bytes = Buffer.from('patience');
    const { id, url } = await begin('shared/away', bytes);
    await world.call('PUT', url, { body: bytes });
    isAway = true;
    const refused = await ask('POST', `/uploads/${id}/finish`, {});
    const unbegun = await ask('POST', '/uploads', { path: 'shared/none', size_bytes: 1 });
    isAway = false;
    expect([refused.status, unbegun.status]).toEqual([503, 503]);
    expect((await ask('GET', '/object?path=shared/away')).status).toBe(404);
    expect((await ask('POST', `/uploads/${id}/finish`, {})).status).toBe(201);
    expect((await ask('GET', '')).body).toMatchObject({ reserved_bytes: 0 });
  });
});

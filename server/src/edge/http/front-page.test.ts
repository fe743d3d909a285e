import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BareMount, openBareMount } from '../../../test/hostile/bare-mount.ts';
import { mountFrontPage } from './front-page.ts';

let mount: BareMount;
beforeAll(async () => {
  mount = await openBareMount();
  await mountFrontPage(mount.app, { product: 'GPUaaS', version: '1.2.3' });
});
afterAll(() => mount.close());

describe('the front page', () => {
  it('says what answers here, and how to call it', async () => {
    const reply = await mount.app.inject({ url: '/' });
    expect(reply.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(reply.payload).toMatch(/^GPUaaS 1\.2\.3\n/);
    expect(reply.headers['x-content-type-options']).toBe('nosniff');
  });

  it('hands out the description of the api, and again only when it has changed', async () => {
    const first = await mount.app.inject({ url: '/openapi.json' });
    expect(first.json().openapi).toBe('3.1.0');
    const etag = String(first.headers.etag);
    const again = await mount.app.inject({ url: '/openapi.json', headers: { 'if-none-match': etag } });
    expect([again.statusCode, again.payload]).toEqual([304, '']);
    const stale = await mount.app.inject({ url: '/openapi.json', headers: { 'if-none-match': '"old"' } });
    expect(stale.statusCode).toBe(200);
  });
});

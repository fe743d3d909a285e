import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mountDocs } from './mount.ts';

let folder: string;
let app: FastifyInstance;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'docs-'));
  await mkdir(join(folder, 'guides'));
  await mkdir(join(folder, 'assets'));
  for (const [name, text] of Object.entries({
    'index.html': '<h1>Documentation</h1>',
    'index.md': '# Documentation',
    '404.html': '<h1>There is no such page</h1>',
    'guides/launch.html': '<h1>Launch GPUs</h1>',
    'guides/launch.md': '# Launch GPUs',
    'guides.html': '<h1>Guides</h1>',
    'search.json': '[]',
    'assets/main-abcdef12.js': '1;',
    '.stamp': 'a digest',
  })) {
    await writeFile(join(folder, name), text);
  }
  app = Fastify();
  expect(await mountDocs(app, folder, (page) => page.replace('Launch GPUs', 'Launch our GPUs'))).toBe(true);
});
afterEach(async () => {
  await app.close();
  await rm(folder, { recursive: true, force: true });
});

describe('the docs', () => {
  it.each([
    ['/docs', 'Documentation'],
    ['/docs?x=1', 'Documentation'],
    ['/docs/guides/launch', 'Launch our GPUs'],
    ['/docs/guides', 'Guides'],
  ])('answer %s with a page that runs no script of anybody else, to anybody', async (url, title) => {
    const answer = await app.inject({ url });
    expect(answer.statusCode).toBe(200);
    expect(answer.body).toBe(`<h1>${title}</h1>`);
    const policy = String(answer.headers['content-security-policy']);
    for (const part of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"])
      expect(policy).toContain(part);
    expect(policy).not.toContain('unsafe');
  });

  it.each([
    ['/docs/nowhere', 404],
    ['/docs/guides/launch.html', 404],
    ['/docs/.stamp', 404],
    ['/docs/../package.json', 404],
    ['/docs/%2e%2e/%2e%2e/package.json', 404],
    ['/docs/guides%2flaunch', 404],
  ])('answer %s with a page that says it is not there', async (url, status) => {
    const answer = await app.inject({ url });
    expect(answer.statusCode).toBe(status);
    expect(answer.body).not.toContain('digest');
  });

  it('have the Markdown of every page beside it', async () => {
    const answer = await app.inject({ url: '/docs/guides/launch.md' });
    expect(answer.headers['content-type']).toBe('text/markdown; charset=utf-8');
    expect(answer.body).toBe('# Launch GPUs');
    expect((await app.inject({ url: '/docs.md' })).body).toBe('# Documentation');
  });

  it('have one address per page', async () => {
    const answer = await app.inject({ url: '/docs/guides/launch/' });
    expect([answer.statusCode, answer.headers.location]).toEqual([308, '/docs/guides/launch']);
  });

  it('never lead to another site by a slash too many', async () => {
    for (const url of ['/docs//evil.example/', '/docs///evil.example//']) {
      const { statusCode, headers } = await app.inject({ url });
      if (statusCode === 308) expect(headers.location).toMatch(/^\/docs/);
    }
  });

  it('are packed as the browser likes, and not sent again to whoever has them', async () => {
    const packed = await app.inject({ url: '/docs/search.json', headers: { 'accept-encoding': 'gzip, br' } });
    expect(brotliDecompressSync(packed.rawPayload).toString()).toBe('[]');
    const again = await app.inject({ url: '/docs', headers: { 'if-none-match': '"other"' } });
    expect(again.statusCode).toBe(200);
    const known = await app.inject({ url: '/docs', headers: { 'if-none-match': String(again.headers.etag) } });
    expect([known.statusCode, known.body]).toEqual([304, '']);
    const script = await app.inject({ url: '/docs/assets/main-abcdef12.js' });
    expect(script.headers['cache-control']).toContain('immutable');
  });

  it('are not there where none were built', async () => {
    const other = Fastify();
    expect(await mountDocs(other, join(folder, 'guides'))).toBe(false);
    expect(await mountDocs(other, join(folder, 'nowhere'))).toBe(false);
    await other.close();
  });
});

import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { plainBranding } from './branding.ts';
import { consolePlaces, mountConsoleFiles, readConsoleFiles } from './files.ts';

const script = `globalThis.answer = ${JSON.stringify('a'.repeat(2_000))};`;
let folder: string;
let app: FastifyInstance;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'console-'));
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'index.html'), '<!doctype html><div id="root"></div>');
  await writeFile(join(folder, 'assets', 'main-abc123.js'), script);
  await writeFile(join(folder, 'mark.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  await writeFile(join(folder, '.stamp'), 'a digest');
  app = Fastify();
  const files = await readConsoleFiles(folder, plainBranding('GPUaaS'));
  if (files) mountConsoleFiles(app, files, async () => 'https://issuer.example/logout');
});
afterEach(async () => {
  await app.close();
  await rm(folder, { recursive: true, force: true });
});
const get = (url: string, encoding?: string) =>
  app.inject({ url, headers: encoding === undefined ? {} : { 'accept-encoding': encoding } });

describe('the files of the console', () => {
  it.each(['/launch', '/allocations/01a1dea2-0000-7000-8000-000000000000', '/ops/nodes', '/ops'])(
    'answer %s with the page, which runs no script of anybody else and sits in no frame',
    async (url) => {
      const answer = await get(url);
      expect(answer.statusCode).toBe(200);
      expect(answer.body).toContain('id="root"');
      const policy = String(answer.headers['content-security-policy']);
      expect(policy).toContain("script-src 'self';");
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("form-action 'self' https://issuer.example");
      expect(policy).not.toContain('unsafe');
      expect(answer.headers['cache-control']).toBe('no-store');
    },
  );

  it.each(['/api/v1/nothing', '/oidc/nothing', '/auth/nothing', '/internal/nothing', '/.stamp', '/index.html', '/x'])(
    'leave %s to others',
    async (url) => expect((await get(url)).statusCode).toBe(404),
  );

  it('answer every address that the console has a page for', async () => {
    const router = await readFile(join(import.meta.dirname, '../../../../web/src/router.tsx'), 'utf8');
    const pages = [...router.matchAll(/^ {2}page\('\/([a-z-]+)/gm)].map(([, first]) => first);
    expect(new Set(pages)).toEqual(new Set(consolePlaces));
  });

  it('may be kept for ever where the name says what is in them, and are packed as the browser likes', async () => {
    const url = '/assets/main-abc123.js';
    const [br, zipped, plain] = [await get(url, 'gzip, br'), await get(url, 'gzip'), await get(url)];
    expect(br.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(brotliDecompressSync(br.rawPayload).toString()).toBe(script);
    expect(gunzipSync(zipped.rawPayload).toString()).toBe(script);
    expect(plain.body).toBe(script);
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect((await get('/mark.svg')).headers['cache-control']).toBe('no-cache');
  });

  it('lead nowhere else on the disk', async () => {
    for (const url of ['/assets/../.stamp', '/assets/%2e%2e/.stamp', '/assets/..%2f.stamp']) {
      expect((await get(url)).statusCode).toBe(404);
    }
  });

  it('are not there when nothing was built', async () => {
    expect(await readConsoleFiles(join(folder, 'assets'), plainBranding('GPUaaS'))).toBeUndefined();
  });
});

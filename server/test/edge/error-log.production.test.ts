import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../../src/testing/servers/start.ts';
import { askEdge } from './asking.ts';
import { makeCertificate } from './installation.ts';
import { startNginx } from './nginx.ts';

/** nginx alone, and nobody behind it: each request ends in what an error log is for. */
let folder: string;
let port: number;
let nginx: Awaited<ReturnType<typeof startNginx>>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-edge-errors-'));
  await makeCertificate(folder);
  const doors = [80, 443, 8444, 8445, 8446, 8449];
  const ports = Object.fromEntries(await Promise.all(doors.map(async (door) => [door, await freePort()] as const)));
  port = ports[443] ?? 0;
  const names = { 'gpu.example.com': 'localhost', 'apps.example.net': 'apps.gpuaas.test' };
  nginx = await startNginx('nginx.conf', folder, { processes: {}, ports, certificates: folder, names });
}, 60_000);
afterAll(async () => {
  await nginx?.close();
  await rm(folder, { recursive: true, force: true });
});

it('writes no query into its logs, also of requests that no process answers', async () => {
  const secret = 'opens-a-file-for-a-year';
  for (const path of ['/shared?s=', '/transfers?t=', '/oidc/callback?code=']) {
    const headers = { referer: `https://localhost${path}${secret}` };
    expect([502, 504]).toContain((await askEdge({ port, path: `${path}${secret}`, headers })).status);
  }
  const access = await nginx.log('access');
  expect(access.match(/ 50[24] /g)).toHaveLength(3);
  expect(access + (await nginx.log('error'))).not.toContain(secret);
});

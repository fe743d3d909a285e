import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort, startServer, type TestServer } from './start.ts';

const run = promisify(execFile);

/** A Redis that keeps nothing on disk: after `kill` and `start` it is empty, as the cache's port allows. */
export async function startRedis(): Promise<TestServer> {
  await run('redis-server', ['--version']).catch((cause: unknown) => {
    throw new Error('redis-server is missing: install the Debian package redis-server', { cause });
  });
  const folder = await mkdtemp(join(tmpdir(), 'gpuaas-redis-'));
  const port = await freePort();
  const server = await startServer({
    command: 'redis-server',
    args: ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'no'],
    port,
    url: `redis://127.0.0.1:${port}`,
  });
  return {
    ...server,
    async close() {
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

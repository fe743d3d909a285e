import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import type { TestDatabase } from './postgres.ts';

/**
 * Keeps the run's one database server. It starts when the first test file asks for it, at a desk that all files know:
 * a run of pure tests starts none.
 */
export async function openDesk(project: TestProject, open: () => Promise<TestDatabase>): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'gpuaas-desk-'));
  let server: Promise<TestDatabase> | undefined;
  const desk = createServer((visitor) => {
    server ??= open();
    visitor.on('error', () => undefined);
    server.then(
      ({ url }) => visitor.end(url),
      (error: unknown) => visitor.end(String(error)),
    );
  });
  const address = join(folder, 'desk');
  await new Promise<void>((resolve, reject) => desk.once('error', reject).listen(address, resolve));
  project.provide('postgresDesk', address);
  return async () => {
    await new Promise((resolve) => desk.close(resolve));
    await server?.then((running) => running.close());
    await rm(folder, { recursive: true, force: true });
  };
}

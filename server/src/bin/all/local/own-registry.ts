import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { mayPush } from '../../../domains/apps/index.ts';
import { serveRegistry } from '../../../edge/registry/serve.ts';
import { systemClock } from '../../../kernel/clock.ts';
import { systemIds } from '../../../kernel/id.ts';
import type { Environment } from '../../../kernel/process/config.ts';
import { openFileObjects } from '../../../ports/objects/files.ts';
import { chooseKeptPort, host } from '../address.ts';
import type { Closing } from './closing.ts';

const firstChoice = 5_443;
const keyBytes = 32;

/** A registry for images of apps, where no other one is named. Its port is kept, because images carry it in their names. */
export async function openOwnRegistry(
  dataDir: string,
  env: Environment,
  closing: Closing,
): Promise<{ readonly name: string; readonly env: Readonly<Record<string, string>> }> {
  const { port, close } = await chooseKeptPort(dataDir, 'registry-port', firstChoice);
  closing.push(close);
  const objects = await openFileObjects({ root: env['GPUAAS_OBJECTS_FOLDER'] ?? join(dataDir, 'objects') });
  closing.push(objects.close);
  const key = randomBytes(keyBytes).toString('hex');
  const server = await serveRegistry({
    ...{ objects, host, port, clock: systemClock, ids: systemIds },
    mayPush: (login, repository) => mayPush(key, login, repository, systemClock.now()),
    onFault: (error) => process.stderr.write(`The registry: ${error instanceof Error ? error.message : 'it failed'}\n`),
  });
  closing.push(server.close);
  return { name: server.name, env: { GPUAAS_REGISTRY_NAME: server.name, GPUAAS_REGISTRY_KEY: key } };
}

import { join } from 'node:path';
import type { Environment } from '../../../kernel/process/config.ts';
import { host } from '../address.ts';
import { buildPages } from '../build-pages.ts';
import type { Steps } from '../steps.ts';
import type { LocalGateways } from './gateways.ts';
import type { Ground } from './ground.ts';

/** Connections of each process beside those of its ports: one machine serves few people. */
export const localPoolSize = 8;

export const audience = 'gpuaas';

/** The settings of every process of a local start. What the environment says wins where it may differ. */
export const sharedSettings = (
  ground: Ground,
  env: Environment,
  pages: Environment,
  gateways: LocalGateways,
  registry: Environment,
): Environment => ({
  ...{ ...gateways.settings, ...registry, ...env, ...pages },
  GPUAAS_HOST: host,
  GPUAAS_PORT: String(ground.port),
  GPUAAS_NODE_PORT: ground.nodePort,
  GPUAAS_PUBLIC_URL: ground.publicUrl,
  GPUAAS_STORAGE_FOLDER: env['GPUAAS_STORAGE_FOLDER'] ?? join(ground.dataDir, 'storage'),
  GPUAAS_OBJECTS_FOLDER: env['GPUAAS_OBJECTS_FOLDER'] ?? join(ground.dataDir, 'objects'),
  GPUAAS_OIDC_AUDIENCE: audience,
  GPUAAS_INSTANCE: env['GPUAAS_INSTANCE'] ?? 'local',
  // A receiver on this machine can be tried; production refuses that.
  GPUAAS_REGISTRY: env['GPUAAS_REGISTRY'] ?? 'local',
  GPUAAS_WEBHOOKS: env['GPUAAS_WEBHOOKS'] ?? 'local',
  GPUAAS_DATABASE_POOL_SIZE: env['GPUAAS_DATABASE_POOL_SIZE'] ?? String(localPoolSize),
});

/** Builds the console and the docs, at the same time, and answers where the api finds them. */
export async function buildAllPages(steps: Steps): Promise<Environment> {
  const docs = buildPages('docs');
  const { folder: consoleFolder } = await steps.step(
    'console',
    () => buildPages('console'),
    ({ says }) => says,
  );
  const { folder: docsFolder } = await steps.step(
    'docs',
    () => docs,
    ({ says }) => says,
  );
  return {
    ...(consoleFolder && { GPUAAS_CONSOLE_FOLDER: consoleFolder }),
    ...(docsFolder && { GPUAAS_DOCS_FOLDER: docsFolder }),
  };
}

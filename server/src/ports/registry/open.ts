import type { Adapted } from '../adapter.ts';
import { readLogins } from './challenge.ts';
import { openDistribution } from './distribution.ts';
import { openLocalRegistry } from './local.ts';
import type { Registry } from './port.ts';

/** `distribution` asks registries over TLS. `local` is for the registry of `npm start`: on this machine without TLS as well. */
export interface RegistryConfig {
  readonly kind: 'distribution' | 'local';
  readonly timeoutMs?: number;
  /** As `podman login --authfile` writes them. */
  readonly logins?: string | undefined;
  readonly ca?: string | undefined;
}
const patienceMs = 20_000;

/** The only place that knows how registries are reached. */
export async function openRegistry(config: RegistryConfig): Promise<Registry & Adapted> {
  const { kind, timeoutMs = patienceMs, ca } = config;
  const settings = { timeoutMs, ca, logins: readLogins(config.logins) };
  return kind === 'local' ? openLocalRegistry(settings) : openDistribution({ ...settings, plain: 'none' });
}

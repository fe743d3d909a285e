import { join } from 'node:path';
import { systemClock } from '../../../kernel/clock.ts';
import { systemIds } from '../../../kernel/id.ts';
import { type Environment, readConfig } from '../../../kernel/process/config.ts';
import { certificatesConfig, openCertificatesOf } from '../../../ports/certificates/settings.ts';
import { makeIdentity } from '../../process-identity/run.ts';
import { type ChosenPort, chooseKeptPort, host } from '../address.ts';
import type { Closing } from './closing.ts';

/** What the api and the terminal gateway of a local start have to know of each other. */
export interface LocalTerminals {
  /** For every process: where browsers and nodes find the gateway, and where it finds the api. */
  readonly settings: Environment;
  /** Makes the identity of the gateway, once the api has an authority. */
  identify(apiSettings: Environment): Promise<Environment>;
}

/** Takes the ports of terminals, which stay the same for a data folder while they are free. */
export async function openTerminals(
  dataDir: string,
  api: { readonly port: number; readonly publicUrl: string },
  closing: Closing,
): Promise<LocalTerminals> {
  const take = async (file: string, first: number): Promise<number> => {
    const chosen: ChosenPort = await chooseKeptPort(dataDir, file, first);
    closing.push(chosen.close);
    return chosen.port;
  };
  const port = await take('terminal-port', 8543);
  const nodePort = await take('terminal-node-port', 9543);
  const jumpPort = await take('ssh-jump-port', 8522);
  const internalPort = await take('internal-port', 9643);
  // Browsers call this machine by either name.
  const origins = [`http://${host}:${api.port}`, `http://localhost:${api.port}`, new URL(api.publicUrl).origin];
  return {
    settings: {
      GPUAAS_TERMINAL_URL: `ws://${host}:${port}`,
      GPUAAS_TERMINAL_NODE_URL: `wss://${host}:${nodePort}`,
      GPUAAS_TERMINAL_PORT: String(port),
      GPUAAS_TERMINAL_NODE_PORT: String(nodePort),
      GPUAAS_TERMINAL_ORIGINS: origins.join(','),
      GPUAAS_SSH_JUMP_PORT: String(jumpPort),
      GPUAAS_SSH_JUMP_URL: `ssh://${host}:${jumpPort}`,
      GPUAAS_INTERNAL_PORT: String(internalPort),
      GPUAAS_INTERNAL_URL: `https://${host}:${internalPort}`,
    },
    async identify(apiSettings) {
      const name = 'process-identity';
      const config = readConfig(name, certificatesConfig, apiSettings);
      const certificates = await openCertificatesOf(config, { clock: systemClock, ids: systemIds, name });
      const folder = join(dataDir, 'identities', 'terminal-gateway');
      try {
        await makeIdentity(certificates, { process: 'terminal-gateway', names: [host, 'localhost'], folder });
      } finally {
        await certificates.close();
      }
      return { GPUAAS_IDENTITY_FOLDER: folder };
    },
  };
}

import { join } from 'node:path';
import type { IdentifiedProcess } from '@gpuaas/contract/internal';
import { systemClock } from '../../../kernel/clock.ts';
import { systemIds } from '../../../kernel/id.ts';
import { type Environment, readConfig } from '../../../kernel/process/config.ts';
import { certificatesConfig, openCertificatesOf } from '../../../ports/certificates/settings.ts';
import { makeIdentity } from '../../process-identity/run.ts';
import { type ChosenPort, chooseKeptPort, host } from '../address.ts';
import type { Closing } from './closing.ts';

/** What the api and the gateways of a local start have to know of each other. */
export interface LocalGateways {
  /** For every process: where browsers and nodes find the gateways, and where they find the api. */
  readonly settings: Environment;
  /** Makes the identity of a gateway, once the api has an authority. */
  identify(process: IdentifiedProcess, apiSettings: Environment): Promise<Environment>;
}

/** Takes the ports of the gateways, which stay the same for a data folder while they are free. */
export async function openGateways(
  dataDir: string,
  api: { readonly port: number; readonly publicUrl: string },
  closing: Closing,
): Promise<LocalGateways> {
  const take = async (file: string, first: number): Promise<number> => {
    const chosen: ChosenPort = await chooseKeptPort(dataDir, file, first);
    closing.push(chosen.close);
    return chosen.port;
  };
  const port = await take('terminal-port', 8543);
  const nodePort = await take('terminal-node-port', 9543);
  const logPort = await take('node-log-port', 9743);
  const jumpPort = await take('ssh-jump-port', 8522);
  const appsPort = await take('apps-port', 8643);
  const appTunnelPort = await take('app-tunnel-port', 9843);
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
      GPUAAS_NODE_LOGS_URL: `https://${host}:${logPort}`,
      GPUAAS_NODE_LOG_PORT: String(logPort),
      GPUAAS_SSH_JUMP_PORT: String(jumpPort),
      GPUAAS_SSH_JUMP_URL: `ssh://${host}:${jumpPort}`,
      // Browsers find every name below localhost on this machine.
      GPUAAS_APPS_URL: `http://apps.localhost:${appsPort}`,
      GPUAAS_APPS_PORT: String(appsPort),
      GPUAAS_APP_TUNNEL_PORT: String(appTunnelPort),
      GPUAAS_APP_TUNNEL_URLS: `https://${host}:${appTunnelPort}`,
      GPUAAS_INTERNAL_PORT: String(internalPort),
      GPUAAS_INTERNAL_URL: `https://${host}:${internalPort}`,
    },
    async identify(process, apiSettings) {
      const name = 'process-identity';
      const config = readConfig(name, certificatesConfig, apiSettings);
      const certificates = await openCertificatesOf(config, { clock: systemClock, ids: systemIds, name });
      const folder = join(dataDir, 'identities', process);
      try {
        await makeIdentity(certificates, { process, names: [host, 'localhost'], folder });
      } finally {
        await certificates.close();
      }
      return { GPUAAS_IDENTITY_FOLDER: folder };
    },
  };
}

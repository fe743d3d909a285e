import { join } from 'node:path';
import type { Environment } from '../../../kernel/process/config.ts';
import { keepKeyring } from '../../../kernel/secrets/keyring.ts';
import { chooseNodePort, choosePort, host } from '../address.ts';
import { openLog, openLogFile } from '../fleet.ts';
import type { Options } from '../options.ts';
import { openFleetDesk } from '../simulated/fleet-desk.ts';
import type { Steps } from '../steps.ts';
import type { Closing } from './closing.ts';
import { prepareFolder } from './data-folder.ts';
import { openLocalDatabase } from './database.ts';

export type Ground = Awaited<ReturnType<typeof openGround>>;

/** Opens what every process stands on: the data folder, the database, addresses, the keyring and the log. */
export async function openGround(options: Options, env: Environment, steps: Steps, closing: Closing) {
  const dataDir = await prepareFolder(options, closing);
  const server = await openLocalDatabase(dataDir, options.ephemeral, steps);
  closing.push(server.close);
  const { port, close } = await choosePort(dataDir, options.port);
  closing.push(close);
  const apiUrl = `http://${host}:${port}`;
  const sealingKey = await keepKeyring(join(dataDir, 'secrets.key'));
  const logPath = options.verbose ? undefined : await openLogFile(dataDir);
  const nodePort = env['GPUAAS_NODE_PORT'] ?? String(await keepNodePort(dataDir, closing));
  const fleetLog = openLog('simulated-fleet', env, logPath);
  closing.push(async () => fleetLog.flush());
  const desk = options.fleet === 'none' ? undefined : await openFleetDesk(options.hostSpeed, fleetLog.log);
  if (desk) closing.push(desk.close);
  return {
    ...{ dataDir, server, port, apiUrl, sealingKey, logPath, nodePort, desk, fleetLog: fleetLog.log },
    // Browsers make passkeys for names and not for addresses, so a person may call this machine localhost.
    publicUrl: env['GPUAAS_PUBLIC_URL'] ?? apiUrl,
  };
}

async function keepNodePort(dataDir: string, closing: Closing): Promise<number> {
  const { port, close } = await chooseNodePort(dataDir);
  closing.push(close);
  return port;
}

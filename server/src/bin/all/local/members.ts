import { join } from 'node:path';
import { identifiedProcesses } from '@gpuaas/contract/internal';
import type { Environment } from '../../../kernel/process/config.ts';
import { openKeyring } from '../../../kernel/secrets/keyring.ts';
import type { openDatabaseServer } from '../../../ports/database/open.ts';
import { storeSettings } from '../../../ports/open.ts';
import { api } from '../../api/process.ts';
import { processes } from '../../processes.ts';
import { type Member, startApart, startHere } from '../fleet.ts';
import { putSecrets, unlessGiven, without } from '../secrets/put-secrets.ts';
import type { Steps } from '../steps.ts';
import type { Closing } from './closing.ts';
import type { LocalGateways } from './gateways.ts';

/** Starts every process, each with what it needs and nothing else. */
export async function startMembers(
  spec: {
    readonly split: boolean;
    readonly dataDir: string;
    readonly logPath: string | undefined;
    readonly env: Environment;
    readonly shared: Environment;
    readonly sealingKey: string;
    readonly server: Pick<Awaited<ReturnType<typeof openDatabaseServer>>, 'urlFor'>;
    readonly payments: Readonly<Record<string, string>>;
    readonly simulatorAddress: string | undefined;
    readonly gateways: LocalGateways;
  },
  steps: Steps,
  closing: Closing,
): Promise<readonly Member[]> {
  const { env, shared, server, sealingKey, dataDir } = spec;
  const startOne = spec.split ? startApart : startHere;
  const keyring = openKeyring(sealingKey, 'The key of the data folder');
  const members: Member[] = [];
  const ofApi = {
    GPUAAS_ISSUER_URL: server.urlFor('gpuaas_issuer'),
    GPUAAS_AUTHORITY_URL: server.urlFor('gpuaas_authority'),
    GPUAAS_SECRETS_KEY: sealingKey,
    ...(spec.simulatorAddress && { GPUAAS_SIMULATOR_ADDRESS: spec.simulatorAddress }),
  };
  for (const { spec: process, login, keys, stores } of processes) {
    // Each is given what it needs: only the api reaches accounts, and a worker opens only what it signs or writes with.
    const secrets = {
      ...unlessGiven(env, storeSettings(stores, server.urlFor)),
      ...(login && { ...spec.payments, GPUAAS_DATABASE_URL: server.urlFor(login) }),
      ...(process === api && ofApi),
      ...(process !== api && keys.length > 0 && { GPUAAS_SECRETS_KEY: keyring.only(...keys) }),
    };
    const files = await putSecrets(join(dataDir, 'secrets', process.name), secrets);
    const identified = identifiedProcesses.find((name) => name === process.name);
    const own = identified ? await spec.gateways.identify(identified, { ...shared, ...ofApi }) : {};
    const member = await steps.step(
      process.name,
      () => startOne(process, { ...without(shared, secrets), ...files, ...own }, spec.logPath),
      ({ healthUrl }) => `health ${healthUrl}`,
    );
    closing.push(member.stop);
    members.push(member);
  }
  return members;
}

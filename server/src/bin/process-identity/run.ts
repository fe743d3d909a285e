import { parseArgs } from 'node:util';
import { type IdentifiedProcess, identifiedProcesses } from '@gpuaas/contract/internal';
import { processCertificateMs } from '../../edge/internal/identity.ts';
import { writeIdentity } from '../../edge/internal/process-identity.ts';
import { systemClock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { systemIds } from '../../kernel/id.ts';
import { type Environment, readConfig } from '../../kernel/process/config.ts';
import type { Certificates } from '../../ports/certificates/port.ts';
import { makeRequest } from '../../ports/certificates/request.ts';
import { certificatesConfig, openCertificatesOf } from '../../ports/certificates/settings.ts';
import { withSecrets } from '../../ports/secrets/open.ts';

const usage = `Makes the first identity of a process that calls the api, with the settings of the api. The process renews it.

  node server/src/bin/process-identity/main.ts --process PROCESS --names NAME,ADDRESS --folder FOLDER

  --process  ${identifiedProcesses.join(' or ')}
  --names    what nodes and other copies call this process: DNS names and addresses, with commas between
  --folder   where the identity is written; only its owner may read it
`;
const nameOrAddress = /^(?:[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?|[0-9A-Fa-f:.]+)$/;

/** Answers the exit code. What goes wrong is said in one sentence. */
export async function runProcessIdentity(
  args: readonly string[],
  env: Environment,
  to: { readonly say: (text: string) => void; readonly complain: (text: string) => void },
): Promise<0 | 1> {
  try {
    const order = readArguments(args);
    const name = 'process-identity';
    const config = readConfig(name, certificatesConfig, await withSecrets(name, env));
    const certificates = await openCertificatesOf(config, { clock: systemClock, ids: systemIds, name });
    try {
      const notAfter = await makeIdentity(certificates, order);
      to.say(`${order.process} has an identity in ${order.folder}, until ${notAfter.toISOString()}.\n`);
      return 0;
    } finally {
      await certificates.close();
    }
  } catch (error) {
    to.complain(`${(error as Error).message}\n`);
    return 1;
  }
}

export interface IdentityOrder {
  readonly process: IdentifiedProcess;
  readonly names: readonly string[];
  readonly folder: string;
}

/** A new key and a certificate for it, in the folder. */
export async function makeIdentity(
  certificates: Pick<Certificates, 'certifyProcess' | 'authority'>,
  { process, names, folder }: IdentityOrder,
): Promise<Date> {
  const { pem, privateKey } = await makeRequest(undefined);
  const issued = await certificates.certifyProcess({ process, names, csr: pem, ttlMs: processCertificateMs });
  if (issued instanceof Fault) throw issued;
  const { roots } = await certificates.authority();
  await writeIdentity(folder, { key: privateKey, chain: issued.chain, roots });
  return issued.notAfter;
}

function readArguments(args: readonly string[]): IdentityOrder {
  const { values } = parseArgs({
    args: [...args],
    options: { process: { type: 'string' }, names: { type: 'string' }, folder: { type: 'string' } },
  });
  const process = identifiedProcesses.find((one) => one === values.process);
  const names = (values.names ?? '').split(',').map((one) => one.trim());
  if (!process || !values.folder || !values.names) throw new Error(usage);
  const wrong = names.find((one) => !nameOrAddress.test(one));
  if (wrong !== undefined) throw new Error(`${wrong || 'An empty text'} is neither a DNS name nor an address.`);
  return { process, names, folder: values.folder };
}

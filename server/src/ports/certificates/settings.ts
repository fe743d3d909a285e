import { readFile } from 'node:fs/promises';
import type { JWK } from 'jose';
import { type Static, Type } from 'typebox';
import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/id.ts';
import { ConfigFault, Secret } from '../../kernel/process/config.ts';
import { openKeyring } from '../../kernel/secrets/keyring.ts';
import { lostKeys, lostKeysConfig } from '../../kernel/secrets/sealed-values.ts';
import type { Adapted } from '../adapter.ts';
import { openCertificates } from './open.ts';
import type { Certificates } from './port.ts';

/** Which authority an installation has: the settings of the api, and of the program that makes the first identity of a process. */
export const certificatesConfig = Type.Object({
  authorityUrl: Type.Optional(
    Secret({ description: 'PostgreSQL as gpuaas_authority: needed by our own certificate authority.' }),
  ),
  stepCaUrl: Type.Optional(
    Type.String({ pattern: '^https://', description: 'step-ca instead of our own certificate authority.' }),
  ),
  stepCaRoot: Type.Optional(Type.String({ description: 'The root of step-ca: a file in PEM.' })),
  stepCaProvisioner: Type.String({ default: 'gpuaas', description: 'The name of its JWK provisioner.' }),
  stepCaProvisionerKey: Type.Optional(
    Secret({ description: 'The private key of that provisioner: a JWK with its kid, in JSON.' }),
  ),
  secretsKey: Type.Optional(
    Secret({
      description: 'The keyring that seals what is kept in the database, such as keys of the authority.',
    }),
  ),
  ...lostKeysConfig.properties,
});

/** Opens what the settings name; `name` is the program that faults of settings are reported for. */
export async function openCertificatesOf(
  config: Static<typeof certificatesConfig>,
  parts: { readonly clock: Clock; readonly ids: Ids; readonly name: string },
): Promise<Certificates & Adapted> {
  const { stepCaUrl, stepCaRoot, stepCaProvisioner, stepCaProvisionerKey, secretsKey, authorityUrl } = config;
  if (stepCaUrl) {
    if (!stepCaRoot || !stepCaProvisionerKey) {
      throw new ConfigFault(parts.name, [
        'GPUAAS_STEP_CA_URL needs GPUAAS_STEP_CA_ROOT and GPUAAS_STEP_CA_PROVISIONER_KEY.',
      ]);
    }
    const key = JSON.parse(stepCaProvisionerKey) as JWK;
    const root = await readFile(stepCaRoot, 'utf8');
    const given = { url: stepCaUrl, root, provisioner: stepCaProvisioner, provisionerKey: key };
    return openCertificates({ kind: 'step-ca', ...given }, parts);
  }
  if (!secretsKey) {
    const because = 'no certificates are issued without GPUAAS_SECRETS_KEY or GPUAAS_STEP_CA_URL';
    return openCertificates({ kind: 'none', because }, parts);
  }
  if (!authorityUrl) {
    throw new ConfigFault(parts.name, [
      'GPUAAS_AUTHORITY_URL is missing: our own certificate authority keeps its tables there. Or name step-ca in GPUAAS_STEP_CA_URL.',
    ]);
  }
  const seal = openKeyring(secretsKey, 'GPUAAS_SECRETS_KEY').seal('authority');
  const lost = lostKeys(config.secretsKeysLost);
  return openCertificates({ kind: 'embedded', url: authorityUrl, seal, lostKeys: lost }, parts);
}

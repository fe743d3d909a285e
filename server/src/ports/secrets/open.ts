import { type Static, Type } from 'typebox';
import { ConfigFault, type Environment, readConfig } from '../../kernel/process/config.ts';
import { environmentSecrets } from './environment.ts';
import { fileSecrets, readSecretFile } from './files.ts';
import type { Secrets } from './port.ts';
import { type VaultConfig, vaultSecrets } from './vault.ts';

/** Read before everything else, from the environment itself. The files are read on first use. */
export const vaultConfig = Type.Object({
  vaultUrl: Type.Optional(
    Type.String({
      pattern: '^https?://',
      description: 'A secret store that speaks the HTTP API of Vault, such as https://vault.example.com:8200.',
    }),
  ),
  vaultEntry: Type.Optional(
    Type.String({
      pattern: '^[^/]+/.+$',
      description: 'Its entry for this process (key-value engine, version 2), such as secret/gpuaas/api.',
    }),
  ),
  vaultNamespace: Type.Optional(Type.String({ description: 'The namespace there, where it has some.' })),
  vaultTokenFile: Type.Optional(Type.String({ description: 'The file with a token for it.' })),
  vaultRoleIdFile: Type.Optional(Type.String({ description: 'Or AppRole: the file with the role id.' })),
  vaultSecretIdFile: Type.Optional(Type.String({ description: 'And the file with the secret id.' })),
  vaultApproleMount: Type.String({ default: 'approle', description: 'Where AppRole is mounted there.' }),
});
const own = ['GPUAAS_VAULT_TOKEN_FILE', 'GPUAAS_VAULT_ROLE_ID_FILE', 'GPUAAS_VAULT_SECRET_ID_FILE'];

/**
 * The environment with all secrets in it: its own, those of files, and those of a secret store. A variable that comes from
 * two places is refused, so that nobody wonders which of them counts.
 */
export async function withSecrets(name: string, env: Environment): Promise<Environment> {
  const config = readConfig(name, vaultConfig, env);
  const rest = Object.fromEntries(Object.entries(env).filter(([variable]) => !own.includes(variable)));
  const sources: Secrets[] = [environmentSecrets(rest), fileSecrets(rest)];
  const vault = vaultOf(name, config);
  if (vault) sources.push(vaultSecrets(vault));
  const found = new Map<string, { readonly from: string; readonly value: string }>();
  const faults: string[] = [];
  for (const source of sources) {
    const given = await source.read().catch((error: unknown) => {
      faults.push((error as Error).message);
      return {};
    });
    for (const [variable, value] of Object.entries(given)) {
      const before = found.get(variable);
      if (before) faults.push(`${variable} is given twice: by ${before.from} and by ${source.name}.`);
      found.set(variable, { from: source.name, value });
    }
  }
  if (faults.length > 0) throw new ConfigFault(name, faults);
  return { ...rest, ...Object.fromEntries([...found].map(([variable, { value }]) => [variable, value])) };
}

function vaultOf(name: string, config: Static<typeof vaultConfig>): VaultConfig | undefined {
  const { vaultUrl: url, vaultEntry: entry, vaultTokenFile, vaultRoleIdFile, vaultSecretIdFile } = config;
  if (!url) return undefined;
  if (!entry) throw new ConfigFault(name, ['GPUAAS_VAULT_URL needs GPUAAS_VAULT_ENTRY.']);
  const base = { url, entry, namespace: config.vaultNamespace };
  if (vaultTokenFile) {
    return {
      ...base,
      login: { kind: 'token', token: () => readSecretFile(vaultTokenFile, 'GPUAAS_VAULT_TOKEN_FILE') },
    };
  }
  if (vaultRoleIdFile && vaultSecretIdFile) {
    return {
      ...base,
      login: {
        kind: 'approle',
        mount: config.vaultApproleMount,
        roleId: () => readSecretFile(vaultRoleIdFile, 'GPUAAS_VAULT_ROLE_ID_FILE'),
        secretId: () => readSecretFile(vaultSecretIdFile, 'GPUAAS_VAULT_SECRET_ID_FILE'),
      },
    };
  }
  throw new ConfigFault(name, [
    'GPUAAS_VAULT_URL needs GPUAAS_VAULT_TOKEN_FILE, or GPUAAS_VAULT_ROLE_ID_FILE and GPUAAS_VAULT_SECRET_ID_FILE.',
  ]);
}

import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startVaultDouble } from '../../testing/vault-double.ts';
import { withSecrets } from './open.ts';
import { vaultSecrets } from './vault.ts';

const entry = 'secret/gpuaas/api';
const path = 'secret/data/gpuaas/api';

describe('a secret store', () => {
  let store: Awaited<ReturnType<typeof startVaultDouble>>;
  let folder: string;
  const file = async (name: string, text: string) => {
    await writeFile(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  beforeAll(async () => {
    store = await startVaultDouble();
    folder = await mkdtemp(join(tmpdir(), 'gpuaas-vault-'));
    store.entries.set(path, { GPUAAS_SECRETS_KEY: 'from the store' });
  });
  afterAll(async () => {
    await store?.close();
    await rm(folder, { recursive: true });
  });
  const settings = () => ({ GPUAAS_VAULT_URL: store.url, GPUAAS_VAULT_ENTRY: entry, GPUAAS_PORT: '1' });

  it('is asked with a token from a file, which no process sees in its settings', async () => {
    const env = {
      ...settings(),
      GPUAAS_VAULT_TOKEN_FILE: await file('token', 'root-token\n'),
      GPUAAS_VAULT_NAMESPACE: 'team',
    };
    const read = await withSecrets('api', env);
    expect(read).toMatchObject({ GPUAAS_SECRETS_KEY: 'from the store', GPUAAS_PORT: '1' });
    expect(JSON.stringify(read)).not.toContain('root-token');
    expect(store.seen.at(-1)).toEqual({ path, namespace: 'team' });
    await chmod(join(folder, 'token'), 0o644);
    await expect(withSecrets('api', env)).rejects.toThrow(/can be read by others/);
  });

  it('is asked as a role', async () => {
    const role = {
      GPUAAS_VAULT_ROLE_ID_FILE: await file('role', 'the-role'),
      GPUAAS_VAULT_SECRET_ID_FILE: await file('secret', 'the-secret'),
    };
    expect(await withSecrets('api', { ...settings(), ...role })).toMatchObject({
      GPUAAS_SECRETS_KEY: 'from the store',
    });
    const wrong = { ...role, GPUAAS_VAULT_SECRET_ID_FILE: await file('wrong', 'planted-7c1d') };
    const error = await withSecrets('api', { ...settings(), ...wrong }).catch((fault: Error) => fault);
    expect(String(error)).toMatch(/refuses us: look at the token or the role/);
    expect(String(error)).not.toContain('planted');
  });

  it.each([
    [{ token: 'other' }, 'refuses us'],
    [{ entry: 'secret/nothing/here' }, 'has no such entry'],
    [{ entry: 'moved/x' }, 'sends us elsewhere: name the active server'],
    [{ fields: { password: 'planted-11' } }, 'has a field that is no setting'],
    [{ fields: { GPUAAS_PORT: 8_443 } }, 'has a field that is no setting'],
  ] as readonly [{ token?: string; entry?: string; fields?: Record<string, unknown> }, string][])(
    'is refused with %j',
    async (asked, reason) => {
      const { token = 'root-token', entry: from = 'secret/odd', fields = {} } = asked;
      store.entries.set('secret/data/odd', fields);
      const source = vaultSecrets({ url: store.url, entry: from, login: { kind: 'token', token: async () => token } });
      const error = await source.read().catch((fault: Error) => fault);
      expect(String(error)).toContain(reason);
      expect(String(error)).not.toContain('planted');
    },
  );

  it('is asked over https, unless it is on this machine, and says which setting is missing', async () => {
    const token = await file('token-2', 'root-token');
    await expect(
      withSecrets('api', {
        GPUAAS_VAULT_URL: 'http://vault.example.com',
        GPUAAS_VAULT_ENTRY: entry,
        GPUAAS_VAULT_TOKEN_FILE: token,
      }),
    ).rejects.toThrow(/has to begin with https/);
    await expect(withSecrets('api', settings())).rejects.toThrow(/needs GPUAAS_VAULT_TOKEN_FILE, or/);
    await expect(withSecrets('api', { GPUAAS_VAULT_URL: store.url })).rejects.toThrow(/needs GPUAAS_VAULT_ENTRY/);
  });
});

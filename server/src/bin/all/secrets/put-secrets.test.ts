import { chmod, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withSecrets } from '../../../ports/secrets/open.ts';
import { putSecrets, unlessGiven, without } from './put-secrets.ts';

let folder: string;
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'gpuaas-secrets-')), 'api');
});
afterEach(() => rm(join(folder, '..'), { recursive: true, force: true }));

const secrets = { GPUAAS_DATABASE_URL: 'postgres://gpuaas_api:hush@/gpuaas', GPUAAS_SECRETS_KEY: 'k1:hush' };

describe('the secrets of a local start', () => {
  it('reach a process through files of their owner alone, and never through its environment', async () => {
    const settings = await putSecrets(folder, secrets);
    expect(JSON.stringify(settings)).not.toContain('hush');
    expect(await withSecrets('api', settings)).toMatchObject(secrets);
    for (const file of await readdir(folder)) expect((await stat(join(folder, file))).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect((await readdir(folder)).sort()).toEqual(Object.keys(secrets).sort());
  });

  it('are refused when others can read them', async () => {
    const settings = await putSecrets(folder, secrets);
    await chmod(join(folder, 'GPUAAS_SECRETS_KEY'), 0o644);
    await expect(withSecrets('api', settings)).rejects.toThrow(/can be read by others/);
  });

  it('are written anew by the next start', async () => {
    await putSecrets(folder, secrets);
    const settings = await putSecrets(folder, { ...secrets, GPUAAS_SECRETS_KEY: 'k2:hush' });
    expect(await withSecrets('api', settings)).toMatchObject({ GPUAAS_SECRETS_KEY: 'k2:hush' });
  });

  it('leave a server that the environment names alone, and are not given twice', () => {
    const stores = { GPUAAS_BUS_URL: 'postgres://bus', GPUAAS_CACHE_URL: 'postgres://cache' };
    const env = { GPUAAS_BUS_URL: 'nats://127.0.0.1', GPUAAS_CACHE_URL_FILE: '/run/cache' };
    expect(unlessGiven(env, stores)).toEqual({});
    expect(unlessGiven({}, stores)).toEqual(stores);
    expect(without({ ...secrets, GPUAAS_SECRETS_KEY_FILE: 'x', PATH: '/bin' }, secrets)).toEqual({ PATH: '/bin' });
  });
});

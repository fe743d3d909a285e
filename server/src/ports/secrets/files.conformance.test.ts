import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { secretsConformance } from './conformance.ts';
import { fileSecrets } from './files.ts';
import { withSecrets } from './open.ts';

secretsConformance('files', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gpuaas-secrets-'));
  const env: Record<string, string> = {};
  return {
    async keep(name, value) {
      const path = join(folder, name);
      await writeFile(path, value, { mode: 0o600 });
      env[`${name}_FILE`] = path;
    },
    open: () => fileSecrets(env),
    breakDown: () => chmod(join(folder, 'GPUAAS_SECRETS_KEY'), 0o640),
    recover: () => chmod(join(folder, 'GPUAAS_SECRETS_KEY'), 0o600),
    close: () => rm(folder, { recursive: true }),
  };
});

describe('a secret in a file', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gpuaas-secrets-'));
  });
  afterAll(() => rm(folder, { recursive: true }));
  const read = (path: string) => fileSecrets({ GPUAAS_SECRETS_KEY_FILE: path }).read();

  it.each([0o644, 0o640, 0o604, 0o660, 0o610])('is refused with mode %o', async (mode) => {
    const path = join(folder, `mode-${mode}`);
    await writeFile(path, 'a value');
    await chmod(path, mode);
    await expect(read(path)).rejects.toThrow(
      /GPUAAS_SECRETS_KEY_FILE names .* which can be read by others: run "chmod 600"/,
    );
    const behind = join(folder, `link-${mode}`);
    await symlink(path, behind);
    await expect(read(behind)).rejects.toThrow(/can be read by others/);
  });

  it('is refused when it is missing, empty, too large or no file', async () => {
    await expect(read(join(folder, 'nowhere'))).rejects.toThrow(/cannot be read \(ENOENT\)/);
    await mkdir(join(folder, 'folder'), { mode: 0o700 });
    await expect(read(join(folder, 'folder'))).rejects.toThrow(/is not a file/);
    await writeFile(join(folder, 'empty'), '\n', { mode: 0o600 });
    await expect(read(join(folder, 'empty'))).rejects.toThrow(/is empty/);
    await writeFile(join(folder, 'large'), 'x'.repeat(70_000), { mode: 0o600 });
    await expect(read(join(folder, 'large'))).rejects.toThrow(/is larger than/);
  });

  it('stands in for its variable, and is refused beside it', async () => {
    const path = join(folder, 'good');
    await writeFile(path, 'from the file\n', { mode: 0o400 });
    expect(await withSecrets('api', { GPUAAS_SECRETS_KEY_FILE: path, GPUAAS_PORT: '1' })).toMatchObject({
      GPUAAS_SECRETS_KEY: 'from the file',
      GPUAAS_PORT: '1',
    });
    await expect(withSecrets('api', { GPUAAS_SECRETS_KEY_FILE: path, GPUAAS_SECRETS_KEY: 'x' })).rejects.toThrow(
      'GPUAAS_SECRETS_KEY is given twice: by the environment and by files.',
    );
  });
});

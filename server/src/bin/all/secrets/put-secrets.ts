import { chmod, mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '../../../kernel/process/config.ts';

/**
 * A local start hands secrets to its processes as production does: in files of their owner alone, which the process reads
 * through the port of secrets. None of them stands in an environment, where other programs of the same user can read it.
 *
 * Each process has a folder of its own with the secrets that it needs. Answers the settings that name the files.
 */
export async function putSecrets(folder: string, secrets: Readonly<Record<string, string>>): Promise<Environment> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  const settings: Record<string, string> = {};
  for (const [variable, value] of Object.entries(secrets)) {
    const path = join(folder, variable);
    const draft = `${path}.draft`;
    await writeFile(draft, `${value}\n`, { mode: 0o600 });
    await chmod(draft, 0o600);
    await rename(draft, path);
    settings[`${variable}_FILE`] = path;
  }
  return settings;
}

/** The environment of the parent process, without the settings that we set ourselves. */
export const without = (env: Environment, secrets: Readonly<Record<string, string>>): Environment =>
  Object.fromEntries(
    Object.entries(env).filter(([variable]) => !Object.hasOwn(secrets, variable.replace(/_FILE$/, ''))),
  );

/** What PostgreSQL carries, unless the environment names another server for it. */
export const unlessGiven = (env: Environment, settings: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(settings).filter(([variable]) => !env[variable] && !env[`${variable}_FILE`]));

import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Environment } from '../command.ts';
import { configFolder, withLock } from '../input/files.ts';
import type { SshPlace } from './place.ts';

const ownerOnly = 0o600;
export const sshFolder = (env: Environment): string => join(configFolder(env), 'ssh');
export const knownHostsPath = (env: Environment): string => join(sshFolder(env), 'known_hosts');
/** Replaces a file at once, readable by its owner alone. */
export async function replaceFile(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  const file = await open(draft, 'wx', ownerOnly);
  try {
    await file.writeFile(text);
  } finally {
    await file.close();
  }
  await rename(draft, path);
}
export const readFileIf = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');

/** The host keys of these allocations are exactly those given; what is known of other allocations stays. */
export async function writeKnownHosts(
  env: Environment,
  places: readonly Pick<SshPlace, 'alias' | 'hostKeys'>[],
): Promise<string> {
  const path = knownHostsPath(env);
  await withLock(`${path}.lock`, async () => {
    const names = new Set(places.map(({ alias }) => alias));
    const others = (await readFileIf(path))
      .split('\n')
      .filter((line) => line !== '' && !names.has(line.split(' ')[0] ?? ''));
    const lines = places.flatMap(({ alias, hostKeys }) => hostKeys.map((key) => `${alias} ${key}`));
    await replaceFile(path, `${[...others, ...lines].join('\n')}\n`);
  });
  return path;
}

import { createHash } from 'node:crypto';
import { copyFile, mkdir, readdir, readFile, readlink, rename, rm, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Disk } from '../disk.ts';

/**
 * The releases of the agent on this host, each a file named by its digest, and a link to the one that runs. What is
 * being tried is written in `update.json`, which the supervisor and the agent it runs both read: it is how a new release
 * knows that it is on trial, and how the old one learns that the new one failed.
 */
export interface Releases {
  readonly folder: string;
  /** Digest in hex of the release that the link points to; nothing before the first. */
  current(): Promise<string | undefined>;
  fileOf(digest: string): string;
  /** Points the link elsewhere, in one step. */
  use(digest: string): Promise<void>;
  /** Puts a file among the releases. */
  adopt(path: string): Promise<string>;
  /** Puts the program of this package among the releases, and uses it unless an update came after the package. */
  install(path: string): Promise<void>;
  readTrial(): Promise<Trial | undefined>;
  writeTrial(trial: Trial): Promise<void>;
  /** Removes what is neither running nor the way back. */
  sweep(keep: readonly string[]): Promise<void>;
}

export const Trial = Type.Object({
  task_id: Type.String(),
  from: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  to: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  from_version: Type.String(),
  to_version: Type.String(),
  state: Type.Enum(['staged', 'trying', 'healthy', 'rolled_back']),
  reason: Type.Optional(Type.String()),
});
export type Trial = Static<typeof Trial>;
const trials = Compile(Trial);

export const digestOf = async (path: string): Promise<string> =>
  createHash('sha256')
    .update(await readFile(path))
    .digest('hex');

export function makeReleases(parts: { readonly disk: Disk; readonly folder: string }): Releases {
  const { disk, folder } = parts;
  const link = join(folder, 'current');
  const trialPath = join(folder, 'update.json');
  /** Digest of the program that came with the last package. */
  const installedPath = join(folder, 'installed');
  const fileOf = (digest: string) => join(folder, `${digest}.mjs`);
  const use = async (digest: string) => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const beside = `${link}.next`;
    await rm(beside, { force: true });
    await symlink(`${digest}.mjs`, beside);
    await rename(beside, link);
  };
  const current = async () => {
    const target = await readlink(link).catch(() => undefined);
    const digest = target === undefined ? '' : basename(target, '.mjs');
    return /^[0-9a-f]{64}$/.test(digest) ? digest : undefined;
  };
  const adopt = async (path: string) => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const digest = await digestOf(path);
    const beside = `${fileOf(digest)}.part`;
    await copyFile(path, beside);
    await rename(beside, fileOf(digest));
    return digest;
  };
  return {
    folder,
    fileOf,
    use,
    current,
    adopt,
    async install(path) {
      const digest = await adopt(path);
      if ((await disk.read(installedPath)) === digest && (await current()) !== undefined) return;
      await use(digest);
      await disk.write(installedPath, digest);
    },
    async readTrial() {
      const text = await disk.read(trialPath);
      if (text === undefined) return undefined;
      try {
        const value: unknown = JSON.parse(text);
        return trials.Check(value) ? value : undefined;
      } catch {
        return undefined;
      }
    },
    writeTrial: (trial) => disk.write(trialPath, JSON.stringify(trial)),
    async sweep(keep) {
      const names = await readdir(folder);
      const old = names.filter((name) => /\.(?:mjs|part)$/.test(name) && !keep.includes(name.replace(/\..*$/, '')));
      for (const name of old) await rm(join(folder, name), { force: true });
    },
  };
}

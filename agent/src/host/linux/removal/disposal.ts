import { lstat, mkdtemp, readFile, rename, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { HostFailure } from '../port.ts';
import { removeTree, unmount, unprotect, unprotectOne } from './argv.ts';
import { type Commands, complaintOf } from './commands.ts';
import { namesIn } from './sysfs.ts';

/**
 * How root takes away what a tenant owned. Whoever removes a tree by its path can be led elsewhere: the owner puts a link
 * in place of a folder while the tree is walked. So what goes is first moved, by one rename, into a new folder that only
 * root can enter, beside it on the same disk. It is then removed by `rm`, which walks by open folders, follows no link and
 * stays on one file system. What was mounted inside is unmounted before, never emptied.
 */
export interface Disposal {
  /** Nothing is at this path afterwards. What is there may be a file, a folder, a link or a place where a disk is mounted. */
  remove(path: string): Promise<void>;
  /** Ends removals in this folder that a crash interrupted. */
  finish(folder: string): Promise<void>;
}

const prefix = '.gpuaas-removed-';
const removalLimitMs = 10 * 60_000;

export function makeDisposal(parts: {
  readonly commands: Commands;
  /** The list of mounts, as the kernel tells it. */
  readonly mountInfo?: () => Promise<string>;
}): Disposal {
  const { commands, mountInfo = () => readFile('/proc/self/mountinfo', 'utf8') } = parts;

  async function unmountBelow(path: string): Promise<void> {
    const points = (await mountInfo()).split('\n').flatMap((line) => line.split(' ')[4] ?? []);
    const below = points.map(unescapeMount).filter((point) => point === path || point.startsWith(`${path}/`));
    // The deepest first, and the last of several on one place first.
    for (const point of below.toSorted((a, b) => b.length - a.length)) await commands.run(unmount(point));
  }

  async function empty(grave: string): Promise<void> {
    await unmountBelow(grave);
    let result = await commands.run(removeTree(grave), { limitMs: removalLimitMs });
    if (await isThere(grave)) {
      // A file that must not change cannot be removed either. Nobody but root has been in here since it was moved.
      await commands.run(unprotect(grave), { limitMs: removalLimitMs });
      result = await commands.run(removeTree(grave), { limitMs: removalLimitMs });
    }
    if (await isThere(grave)) {
      throw new HostFailure('user_remains', `${grave} could not be removed: ${complaintOf(result)}.`);
    }
  }

  return {
    async remove(path) {
      if (!(await isThere(path))) return;
      await unmountBelow(path);
      const grave = await mkdtemp(join(dirname(path), prefix));
      try {
        await rename(path, join(grave, 'removed'));
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code === 'ENOENT') return await rmdir(grave);
        // The folder itself must not change: it says so, and is told otherwise. This does not look inside.
        if (code !== 'EPERM') throw error;
        await commands.run(unprotectOne(path));
        await rename(path, join(grave, 'removed'));
      }
      await empty(grave);
    },
    async finish(folder) {
      for (const name of await namesIn('/', folder)) {
        const path = join(folder, name);
        if (!basename(name).startsWith(prefix)) continue;
        const owner = (await lstat(path).catch(() => undefined))?.uid;
        // A tenant may give a file of his such a name; that one is found as his.
        if (owner === process.getuid?.()) await empty(path);
      }
    },
  };
}

const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

/** Blanks, tabs, line ends and backslashes are written as three octal digits. */
const unescapeMount = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));

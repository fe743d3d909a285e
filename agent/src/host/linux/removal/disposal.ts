import { mkdtemp, realpath, rename, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { HostFailure } from '../../port.ts';
import { removeTree, unprotect, unprotectOne } from '../argv.ts';
import { type Commands, complaintOf } from '../commands.ts';
import { entriesIn, entryAt, hasEntry } from './entries.ts';
import { isAtOrBelow, type Mounts } from './mounts.ts';

/**
 * How root takes away what a tenant owned. A removal by path can be led elsewhere: the owner puts a link
 * in place of a folder while the tree is walked. So what goes is first moved, by one rename, into a new folder that only
 * root can enter, beside it on the same disk. What is mounted inside is unmounted there, never emptied. The rest is
 * removed by `rm`, which walks by open folders, follows no link and stays on one file system.
 */
export interface Disposal {
  /** Nothing is at this path afterwards. What is there may be a file, a folder, a link or a place where a disk is mounted. */
  remove(path: string): Promise<void>;
  /** Unmounts what lies over this path. Under a dead FUSE mount nothing can be looked at. */
  uncover(path: string): Promise<void>;
  /** Unmounts every FUSE file system that this user mounted, wherever it is. */
  unmountOf(uid: number): Promise<void>;
  /** Ends removals in this folder that a crash interrupted. */
  finish(folder: string): Promise<void>;
}

const prefix = '.gpuaas-removed-';
const removalLimitMs = 10 * 60_000;

export function makeDisposal(parts: { readonly commands: Commands; readonly mounts: Mounts }): Disposal {
  const { commands, mounts } = parts;

  async function uncover(path: string): Promise<void> {
    // The kernel names mounts by their real path. The folder is root's; what is in it is not followed.
    const point = join(await realpath(dirname(path)).catch(() => dirname(path)), basename(path));
    await mounts.unmount((await mounts.list()).filter((mount) => mount.point === point));
  }

  async function empty(grave: string): Promise<void> {
    const place = await realpath(grave);
    await mounts.unmount((await mounts.list()).filter(({ point }) => isAtOrBelow(point, place)));
    let result = await commands.run(removeTree(grave), { limitMs: removalLimitMs });
    if (await hasEntry(grave)) {
      // A file that must not change cannot be removed either. Only root can enter this folder.
      await commands.run(unprotect(grave), { limitMs: removalLimitMs });
      result = await commands.run(removeTree(grave), { limitMs: removalLimitMs });
    }
    if (await hasEntry(grave)) {
      throw new HostFailure('user_remains', `${grave} could not be removed: ${complaintOf(result)}.`);
    }
  }

  return {
    uncover,
    async unmountOf(uid) {
      await mounts.unmount((await mounts.list()).filter(({ isFuse, userId }) => isFuse && userId === uid));
    },
    async remove(path) {
      await uncover(path);
      if (!(await hasEntry(path))) return;
      const grave = await mkdtemp(join(dirname(path), prefix));
      try {
        await rename(path, join(grave, 'removed'));
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code === 'ENOENT') return await rmdir(grave);
        // The folder itself may be immutable: the flag is cleared. This does not look inside.
        if (code !== 'EPERM') throw error;
        await commands.run(unprotectOne(path));
        await rename(path, join(grave, 'removed'));
      }
      await empty(grave);
    },
    async finish(folder) {
      for (const name of await entriesIn(folder)) {
        if (!name.startsWith(prefix)) continue;
        const path = join(folder, name);
        const owner = (await entryAt(path))?.uid;
        // A tenant may give a file of his such a name; that one is found as his.
        if (owner === process.getuid?.()) await empty(path);
      }
    },
  };
}

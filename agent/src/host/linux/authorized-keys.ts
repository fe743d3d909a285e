import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { HostFailure } from '../port.ts';
import type { Account } from './accounts.ts';

/**
 * Root writes into a folder that a tenant owns, while the tenant may be running. Each step therefore starts from a
 * folder that is held open and cannot be exchanged, by way of /proc/self/fd, and follows no link: whatever the tenant
 * puts in place of `.ssh` or of the file is removed as it stands, and never written through.
 */
const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_RDONLY, O_WRONLY } = constants;
const at = (folder: FileHandle, name: string) => `/proc/self/fd/${folder.fd}/${name}`;
const attempts = 5;
const most = { folder: 0o700, file: 0o600, bytes: 4 * 1_024 * 1_024 };

export interface KeyFile {
  /** The keys are exactly these afterwards. */
  write(account: Account, keys: readonly string[]): Promise<void>;
}

export function makeKeyFile({ isRoot }: { readonly isRoot: boolean }): KeyFile {
  const own = async (handle: FileHandle, { uid, gid }: Account, mode: number) => {
    if (isRoot) await handle.chown(uid, gid);
    await handle.chmod(mode);
  };

  async function openFolder(home: FileHandle, account: Account): Promise<FileHandle> {
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      try {
        const folder = await open(at(home, '.ssh'), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
        await own(folder, account, most.folder);
        return folder;
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        // A link or a file in its place is not followed and does not stay.
        if (code === 'ELOOP' || code === 'ENOTDIR') await rm(at(home, '.ssh'), { force: true });
        else if (code !== 'ENOENT') throw error;
        await mkdir(at(home, '.ssh'), { mode: most.folder }).catch(ignoreExisting);
      }
    }
    throw new HostFailure('machine_failed', 'The folder for the keys does not stay what it is.');
  }

  async function replace(folder: FileHandle, account: Account, text: string): Promise<void> {
    const next = 'authorized_keys.gpuaas';
    await rm(at(folder, next), { recursive: true, force: true });
    const file = await open(at(folder, next), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, most.file);
    try {
      await file.writeFile(text);
      await own(file, account, most.file);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(at(folder, next), at(folder, 'authorized_keys')).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EISDIR' && error.code !== 'ENOTEMPTY') throw error;
      await rm(at(folder, 'authorized_keys'), { recursive: true, force: true });
      await rename(at(folder, next), at(folder, 'authorized_keys'));
    });
    // sshd reads a second file of an older name too; a key in there would outlive its removal.
    await rm(at(folder, 'authorized_keys2'), { recursive: true, force: true });
    await folder.sync();
  }

  /** What sshd would read now, which is not what was written if somebody has moved the folder away meanwhile. */
  async function readBack(home: FileHandle): Promise<string | undefined> {
    try {
      const file = await open(at(home, '.ssh/authorized_keys'), O_RDONLY | O_NOFOLLOW);
      try {
        return (await file.stat()).size > most.bytes ? undefined : await file.readFile('utf8');
      } finally {
        await file.close();
      }
    } catch {
      return undefined;
    }
  }

  async function write(account: Account, keys: readonly string[]): Promise<void> {
    const text = keys.map((key) => `${key}\n`).join('');
    const home = await open(account.home, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    try {
      for (let attempt = 0; attempt < attempts; attempt += 1) {
        const folder = await openFolder(home, account);
        try {
          await replace(folder, account, text);
        } finally {
          await folder.close();
        }
        if ((await readBack(home)) === text) return;
      }
      throw new HostFailure('machine_failed', 'The keys do not stay where they were written.');
    } finally {
      await home.close();
    }
  }

  // One at a time: a lease that ends while its keys are written has the last word.
  let last: Promise<unknown> = Promise.resolve();
  return {
    write(account, keys) {
      const turn = last.then(() => write(account, keys));
      last = turn.catch(() => undefined);
      return turn;
    },
  };
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

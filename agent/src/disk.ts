import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/**
 * The files that an agent lives by. A file is there whole or not at all: it is written beside its place, forced to the
 * disk, and moved. Only root may read any of them.
 */
export interface Disk {
  write(path: string, text: string): Promise<void>;
  /** `undefined` when there is no such file. */
  read(path: string): Promise<string | undefined>;
  /** Not forced: a file that comes back after a power cut must do no harm. */
  remove(path: string): Promise<void>;
  /** The names in a folder, if there is one. */
  list(folder: string): Promise<string[]>;
  /** Removes the halves of interrupted writes. Only for the owner of the folder: to others they may be under way. */
  sweep(folder: string): Promise<void>;
}

const halfWritten = /\.[0-9]+\.half$/;

/** `forced: false` is for hosts that do not exist: their files need not outlive the machine that pretends. */
export function makeDisk({ forced }: { readonly forced: boolean }): Disk {
  let writes = 0;
  const syncFolder = async (folder: string) => {
    if (!forced) return;
    const handle = await open(folder, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  };
  return {
    async write(path, text) {
      writes += 1;
      const half = join(dirname(path), `${basename(path)}.${writes}.half`);
      const handle = await openNew(half);
      try {
        await handle.writeFile(text);
        if (forced) await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(half, path);
      await syncFolder(dirname(path));
    },
    async read(path) {
      try {
        return await readFile(path, 'utf8');
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    },
    remove: (path) => rm(path, { force: true }),
    async list(folder) {
      return (await namesIn(folder)).filter((name) => !halfWritten.test(name)).sort();
    },
    async sweep(folder) {
      const halves = (await namesIn(folder)).filter((name) => halfWritten.test(name));
      for (const name of halves) await rm(join(folder, name), { force: true });
    },
  };
}

/** A folder is there nearly always: it is made when it turns out not to be. */
async function openNew(path: string) {
  const openIt = () => open(path, 'w', 0o600);
  try {
    return await openIt();
  } catch (error) {
    if (!isMissing(error)) throw error;
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    return openIt();
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';

import type { Stats } from 'node:fs';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { HostFailure } from '../../port.ts';

/**
 * What root asks of the disk before it says that something is gone. Only ENOENT means absent. A folder under a dead FUSE
 * mount answers ENOTCONN, a broken disk EIO, and an agent without free descriptors EMFILE: those are failures.
 */
const absentAs =
  <T>(path: string, value: T) =>
  (error: unknown): T => {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return value;
    throw new HostFailure('machine_failed', `${path} cannot be read: ${code ?? String(error)}.`);
  };

/** The entry itself, not what a link leads to. Undefined when there is none. */
export const entryAt = (path: string): Promise<Stats | undefined> => lstat(path).catch(absentAs(path, undefined));
export const hasEntry = async (path: string): Promise<boolean> => (await entryAt(path)) !== undefined;
export const entriesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder).catch(absentAs<string[]>(folder, []))).sort();
/** Empty when there is no such file. */
export const textAt = (path: string): Promise<string> => readFile(path, 'utf8').catch(absentAs(path, ''));

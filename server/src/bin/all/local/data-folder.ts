import { constants } from 'node:fs';
import { access, chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Options, UsageFault } from '../options.ts';
import type { Closing } from './closing.ts';

/** Makes the data folder, or a temporary one that is removed at the end. */
export async function prepareFolder(options: Options, closing: Closing): Promise<string> {
  if (!options.ephemeral) {
    try {
      await mkdir(options.dataDir, { recursive: true, mode: 0o711 });
      await access(options.dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    } catch (error) {
      throw new UsageFault(
        `The data folder ${options.dataDir} cannot be used: ${sayWhyNot(error)}. Choose another one: npm start -- --data ./try-out`,
      );
    }
    return options.dataDir;
  }
  const folder = await mkdtemp(join(tmpdir(), 'gpuaas-'));
  // The database's own account must be able to pass through.
  await chmod(folder, 0o711);
  closing.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

function sayWhyNot(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return 'this user may not write there';
    case 'EROFS':
      return 'it is on a disk that is mounted read-only';
    case 'ENOSPC':
      return 'the disk is full';
    case 'ENOTDIR':
    case 'EEXIST':
      return 'there is a file of that name on the way';
    default:
      return message;
  }
}

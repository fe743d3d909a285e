import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFileStorage } from '../ports/storage/files.ts';
import type { Storage } from '../ports/storage/port.ts';

/** A store of tenants' files for a test, gone with it. */
export async function openTestStorage(): Promise<Storage> {
  const folder = await mkdtemp(join(tmpdir(), 'gpuaas-storage-'));
  const storage = await openFileStorage({ root: folder });
  return {
    ...storage,
    async close() {
      await storage.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

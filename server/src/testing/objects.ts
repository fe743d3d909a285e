import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFileObjects } from '../ports/objects/files.ts';
import type { Objects } from '../ports/objects/port.ts';

/** A store of its own for a test, gone with it. */
export async function openTestObjects(): Promise<Objects> {
  const folder = await mkdtemp(join(tmpdir(), 'gpuaas-objects-'));
  const objects = await openFileObjects({ root: folder });
  return {
    ...objects,
    async close() {
      await objects.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DataDirectoryInUse } from '../../../ports/database/embedded.ts';
import { openDatabaseServer } from '../../../ports/database/open.ts';
import { UsageFault } from '../options.ts';
import type { Steps } from '../steps.ts';

/** The database of a data folder; one start at a time has it. */
export async function openLocalDatabase(dataDir: string, ephemeral: boolean, steps: Steps) {
  const fresh = !existsSync(join(dataDir, 'postgres'));
  return steps
    .step(
      'database',
      () => openDatabaseServer({ kind: 'embedded', dataDir: join(dataDir, 'postgres'), ephemeral }),
      (opened) =>
        [
          opened.describe().split(' in ')[0],
          ...(opened.migrated.length > 0 ? [fresh ? 'new' : `brought up to date: ${opened.migrated.join(', ')}`] : []),
          ...(opened.adopted ? ['taken over from a start that was killed'] : []),
        ].join(', '),
    )
    .catch((error: unknown) => {
      if (error instanceof DataDirectoryInUse) {
        throw new UsageFault(
          `GPUaaS runs on ${dataDir} already (process ${error.pid}). Stop it with Ctrl-C there, or use another folder: npm start -- --data ./other`,
        );
      }
      throw error;
    });
}

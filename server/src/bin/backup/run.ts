import { mkdir, rename, rm } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { Type } from 'typebox';
import { systemClock } from '../../kernel/clock.ts';
import { systemIds } from '../../kernel/id.ts';
import { type Environment, readConfig, Secret } from '../../kernel/process/config.ts';
import { secondMs } from '../../kernel/units.ts';
import { dumpDatabase } from '../../ports/database/backup/dump.ts';
import { objectsConfig, openObjectsOf } from '../../ports/objects/settings.ts';
import { withSecrets } from '../../ports/secrets/open.ts';
import { readProvenance } from '../release.ts';
import { digestOf, dumpIn, keepObjects, type Manifest, writeManifest } from './folder.ts';

export const backupConfig = Type.Object({
  databaseAdminUrl: Secret({ description: 'PostgreSQL as a superuser, or as a role that passes row-level security.' }),
  databaseName: Type.String({ default: 'gpuaas', description: 'The database of the installation.' }),
  postgresPrograms: Type.Optional(
    Type.String({ description: 'The folder of pg_dump and pg_restore; the ones on the path when left out.' }),
  ),
  ...objectsConfig.properties,
});

const usage = `Keeps the database and the objects of an installation, while it runs. Sealing keys are not in it: keep them elsewhere.

  gpuaas-control backup FOLDER     the folder must not be there yet
`;

/** Answers the exit code. A backup that breaks off leaves nothing under the name of the folder. */
export async function runBackup(
  args: readonly string[],
  env: Environment,
  to: { readonly say: (text: string) => void; readonly complain: (text: string) => void },
): Promise<0 | 1> {
  try {
    const { positionals } = parseArgs({ args: [...args], allowPositionals: true, options: {} });
    const [folder, ...more] = positionals;
    if (folder === undefined || more.length > 0) throw new Error(usage);
    const config = readConfig('backup', backupConfig, await withSecrets('backup', env));
    const draft = `${folder}.partial`;
    await rm(draft, { recursive: true, force: true });
    await mkdir(draft, { mode: 0o700 });
    const began = systemClock.now().getTime();
    const dumped = await dumpDatabase({
      ...{ adminUrl: config.databaseAdminUrl, database: config.databaseName },
      ...{ file: dumpIn(draft), programs: config.postgresPrograms },
    });
    const objects = await openObjectsOf(config, { clock: systemClock, name: 'backup' });
    const isOpen = objects.adapter.kind !== 'none';
    const kept = await (isOpen ? keepObjects(objects, draft) : []);
    await objects.close();
    const { version, commit } = readProvenance();
    const manifest: Manifest = {
      ...{ format: 1, id: systemIds.next(), version, commit },
      ...{ takenAt: dumped.takenAt.toISOString(), serverVersion: dumped.serverVersion, migration: dumped.migration },
      ...{ figures: dumped.figures, dump: await digestOf(dumpIn(draft)), objects: kept },
    };
    await writeManifest(draft, manifest);
    await rename(draft, folder);
    const seconds = ((systemClock.now().getTime() - began) / secondMs).toFixed(1);
    to.say(
      `${folder}: the state of ${manifest.takenAt}, ${manifest.dump.size} bytes of database and ${kept.length} objects, in ${seconds} s.\n${isOpen ? '' : 'No object store was named, so objects are not in it.\n'}Keep the sealing keys (GPUAAS_SECRETS_KEY) elsewhere: without them it cannot be used.\n`,
    );
    return 0;
  } catch (error) {
    to.complain(`${(error as Error).message}\n`);
    return 1;
  }
}

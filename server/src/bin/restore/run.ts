import { parseArgs } from 'node:util';
import { Type } from 'typebox';
import { beginEpoch } from '../../domains/epochs/index.ts';
import { actsOf } from '../../kernel/act.ts';
import { systemClock } from '../../kernel/clock.ts';
import { systemIds } from '../../kernel/id.ts';
import { type Environment, readConfig } from '../../kernel/process/config.ts';
import { silentLog } from '../../kernel/telemetry/log.ts';
import { secondMs } from '../../kernel/units.ts';
import { differing } from '../../ports/database/backup/figures.ts';
import { assertNothingThere, forgetOldServer, giveName, loadDump } from '../../ports/database/backup/load.ts';
import { openDatabaseServer } from '../../ports/database/open.ts';
import { openPostgres } from '../../ports/database/postgres.ts';
import { openObjectsOf } from '../../ports/objects/settings.ts';
import { withSecrets } from '../../ports/secrets/open.ts';
import { dumpIn, findDamage, readManifest, returnObjects } from '../backup/folder.ts';
import { backupConfig } from '../backup/run.ts';
import { migrateConfig, passwordsOf } from '../migrate/run.ts';

export const restoreConfig = Type.Object({ ...migrateConfig.properties, ...backupConfig.properties });

const usage = `Brings an installation back from a backup, into a server that has none. No process may run.

  gpuaas-control restore FOLDER [--skip-numbers N]

  --skip-numbers N   numbers of invoices, receipts and credit notes that are not used again, because they may have been
                     given out since the backup (1000 when left out)
`;
/** While it is loaded it has another name, under which no process looks for it. */
const nameWhile = (database: string) => `${database}_restoring`;

/** Answers the exit code. Until its last step nothing has the name of the database; a restore that broke off is typed again. */
export async function runRestore(
  args: readonly string[],
  env: Environment,
  to: { readonly say: (text: string) => void; readonly complain: (text: string) => void },
): Promise<0 | 1> {
  try {
    const { folder, skippedNumbers } = readArguments(args);
    const config = readConfig('restore', restoreConfig, await withSecrets('restore', env));
    const began = systemClock.now().getTime();
    const manifest = await readManifest(folder);
    const damage = await findDamage(folder, manifest);
    if (damage.length > 0) throw new Error(`${folder} is damaged. Use another backup.\n${damage.join('\n')}`);
    const { databaseAdminUrl: adminUrl, databaseName, postgresPrograms: programs } = config;
    await assertNothingThere({ adminUrl, database: databaseName });
    const place = { adminUrl, database: nameWhile(databaseName) };
    const figures = await loadDump({ ...place, file: dumpIn(folder), programs });
    const differences = differing(figures, manifest.figures);
    if (differences.length > 0) {
      throw new Error(`What was loaded differs from what was kept: ${differences.join(', ')}. Use another backup.`);
    }
    const server = await openDatabaseServer({ kind: 'url', ...place, passwords: passwordsOf(config) });
    await forgetOldServer(place);
    const epoch = await withApi(server.urlFor('gpuaas_api'), (db, begin) =>
      beginEpoch(db, begin('installation.restore', { correlationId: systemIds.next() }), {
        ...{ id: manifest.id, takenAt: new Date(manifest.takenAt), skippedNumbers },
      }),
    );
    await server.close();
    const objects = await openObjectsOf(config, { clock: systemClock, name: 'restore' });
    const returned = objects.adapter.kind === 'none' ? 0 : await returnObjects(objects, folder, manifest.objects);
    await objects.close();
    await giveName(place, databaseName);
    const seconds = ((systemClock.now().getTime() - began) / secondMs).toFixed(1);
    to.say(
      [
        `The state of ${manifest.takenAt} is back in ${databaseName}, in ${seconds} s: its figures are those of the backup.`,
        `Applied ${server.migrated.length > 0 ? server.migrated.join(', ') : 'no migration'}; ${returned} objects were put back.`,
        `Epoch ${epoch.number}: generations go on above ${epoch.generationFloor}; ${skippedNumbers} numbers of each series are skipped.`,
        `${epoch.nodes} hosts sell nothing until each has reported and was compared. What they hold and no row knows becomes an alert.`,
        'Start the processes, then: gpuaas ops alerts --source drift',
        '',
      ].join('\n'),
    );
    return 0;
  } catch (error) {
    to.complain(`${(error as Error).message}\n`);
    return 1;
  }
}

function readArguments(args: readonly string[]): { readonly folder: string; readonly skippedNumbers: number } {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { 'skip-numbers': { type: 'string', default: '1000' } },
  });
  const [folder, ...more] = positionals;
  const skippedNumbers = Number(values['skip-numbers']);
  if (folder === undefined || more.length > 0 || !Number.isSafeInteger(skippedNumbers) || skippedNumbers < 0) {
    throw new Error(usage);
  }
  return { folder, skippedNumbers };
}

type Opened = Awaited<ReturnType<typeof openPostgres>>['database'];
async function withApi<T>(url: string, work: (db: Opened, begin: ReturnType<typeof actsOf>) => Promise<T>): Promise<T> {
  const parts = { clock: systemClock, ids: systemIds, log: silentLog };
  const database = await openPostgres({ url, ...parts, name: 'restore', poolSize: 2 });
  try {
    return await work(database.database, actsOf('restore', systemIds));
  } finally {
    await database.close();
  }
}

import { connectSingle } from '../../single-connection.ts';
import { type Figures, readFigures } from './figures.ts';
import { runPostgresProgram } from './programs.ts';

export interface Dumped {
  readonly takenAt: Date;
  readonly serverVersion: string;
  readonly migration: { readonly number: number; readonly name: string };
  readonly figures: Figures;
}

/** Writes the whole database into one file while it works on, with the figures of the same moment. */
export async function dumpDatabase(order: {
  readonly adminUrl: string;
  readonly database: string;
  readonly file: string;
  readonly programs: string | undefined;
}): Promise<Dumped> {
  const { adminUrl, database, file, programs } = order;
  const address = new URL(adminUrl);
  address.pathname = `/${encodeURIComponent(database)}`;
  const client = await connectSingle({ connectionString: address.href, application_name: 'gpuaas backup' });
  try {
    await client.query('begin transaction isolation level repeatable read read only');
    const { rows } = await client.query<{ snapshot: string; now: Date; version: string }>(
      `select pg_export_snapshot() as snapshot, now() as now, current_setting('server_version') as version`,
    );
    const [found] = rows;
    const applied = await client.query<{ number: number; name: string }>(
      'select number, name from schema_migrations order by number desc limit 1',
    );
    const [migration] = applied.rows;
    if (!found || !migration) throw new Error(`${database} is no database of an installation.`);
    const figures = await readFigures(client);
    await runPostgresProgram(
      'pg_dump',
      ['--format=custom', `--snapshot=${found.snapshot}`, '--no-password', `--file=${file}`],
      { url: adminUrl, database, folder: programs },
    );
    await client.query('commit');
    return { takenAt: found.now, serverVersion: found.version, migration, figures };
  } finally {
    await client.end();
  }
}

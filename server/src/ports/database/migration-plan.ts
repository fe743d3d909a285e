import { connectSingle } from '../single-connection.ts';
import { type Migration, readMigrations, SchemaMismatch } from './migrate.ts';

/** What "migrate" of this release would do to a database. */
export interface MigrationPlan {
  /** The last migration that was applied; undefined where there is no database, or an empty one. */
  readonly at: { readonly number: number; readonly name: string } | undefined;
  readonly pending: readonly Pick<Migration, 'number' | 'name'>[];
  /** Processes that are connected to it now, by their application name and login. */
  readonly connected: readonly { readonly name: string; readonly login: string; readonly connections: number }[];
}

/**
 * Looks and changes nothing. Throws where this release must not be used on the database: it is newer than the release, or one of
 * its migrations had other contents.
 */
export async function planMigration(
  adminUrl: string,
  database: string,
  known?: readonly Migration[],
): Promise<MigrationPlan> {
  const migrations = known ?? (await readMigrations());
  const none = { at: undefined, pending: migrations, connected: [] };
  const isThere = await withClient(adminUrl, (client) =>
    client.query('select from pg_database where datname = $1', [database]),
  );
  if (isThere.rowCount === 0) return none;
  const address = new URL(adminUrl);
  address.pathname = `/${encodeURIComponent(database)}`;
  return withClient(address.href, async (client) => {
    const table = await client.query<{ found: boolean }>(
      `select to_regclass('public.schema_migrations') is not null as found`,
    );
    if (!table.rows[0]?.found) return none;
    const { rows } = await client.query<{ number: number; name: string; checksum: string }>(
      'select number, name, checksum from public.schema_migrations order by number',
    );
    for (const row of rows) assertKnown(row, migrations[row.number - 1]);
    const connected = await client.query<{ name: string; login: string; connections: number }>(
      `select application_name as name, usename as login, count(*)::int as connections from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend' and usename like 'gpuaas%'
       group by 1, 2 order by 1, 2`,
    );
    return { at: rows.at(-1), pending: migrations.slice(rows.length), connected: connected.rows };
  });
}

function assertKnown(
  row: { readonly number: number; readonly name: string; readonly checksum: string },
  migration: Migration | undefined,
): void {
  if (!migration) {
    throw new SchemaMismatch(
      `The database is at migration ${row.number} (${row.name}), which this release does not know. Use the release that wrote it, or a newer one.`,
    );
  }
  if (migration.checksum === row.checksum) return;
  throw new SchemaMismatch(
    `Migration ${row.number} (${row.name}) was applied with other contents than this release has. Use the release that wrote it.`,
  );
}

async function withClient<T>(
  url: string,
  work: (client: Awaited<ReturnType<typeof connectSingle>>) => Promise<T>,
): Promise<T> {
  const client = await connectSingle({ connectionString: url, application_name: 'gpuaas migrate --check' });
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

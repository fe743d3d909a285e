import { escapeIdentifier } from 'pg';
import { connectSingle } from '../../single-connection.ts';
import { ensureDatabase, ensureRoles } from '../roles.ts';
import { type Figures, readFigures } from './figures.ts';
import { runPostgresProgram } from './programs.ts';

/**
 * How far positions of events jump after a restore: above everything that subscribers have seen since the backup. An installation
 * would have to write a thousand events a second for days to get there.
 */
const positionsSkipped = 1_000_000_000;

interface Place {
  readonly adminUrl: string;
  readonly database: string;
}

/** Throws unless there is nothing yet under this name: a restore never writes over an installation. */
export async function assertNothingThere({ adminUrl, database }: Place): Promise<void> {
  await withAdmin(adminUrl, async (admin) => {
    const { rowCount } = await admin.query('select from pg_database where datname = $1', [database]);
    if (rowCount === 0) return;
    await withAdmin(addressOf({ adminUrl, database }), async (client) => {
      const { rows } = await client.query<{ tables: number; sessions: number }>(
        `select (select count(*)::int from pg_class c where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace) as tables,
           (select count(*)::int from pg_stat_activity where datname = current_database() and usename like 'gpuaas%') as sessions`,
      );
      const { tables = 0, sessions = 0 } = rows[0] ?? {};
      if (tables === 0 && sessions === 0) return;
      throw new Error(
        `The database ${database} has ${tables} tables and ${sessions} sessions of processes: it is an installation, and a restore writes over none. Restore on another server, or stop every process and rename it first (alter database ${database} rename to ${database}_before).`,
      );
    });
  });
}

/** Loads a dump into a new database and answers its figures. A loading that broke off before is begun again. */
export async function loadDump(
  order: Place & { readonly file: string; readonly programs: string | undefined },
): Promise<Figures> {
  const { adminUrl, database, file, programs } = order;
  await withAdmin(adminUrl, async (admin) => {
    await ensureRoles(admin);
    await admin.query(`drop database if exists ${escapeIdentifier(database)}`);
    const { rows } = await admin.query<{ number: number }>(
      `select current_setting('server_version_num')::int as number`,
    );
    await ensureDatabase(admin, database, rows[0]?.number ?? 0);
  });
  await runPostgresProgram('pg_restore', ['--exit-on-error', '--no-password', `--dbname=${database}`, file], {
    ...{ url: adminUrl, database, folder: programs },
  });
  return withAdmin(addressOf(order), (client) => readFigures(client));
}

/**
 * What only the server that was lost knew is forgotten: transactions are counted by a server, so every event that is kept goes out
 * again (consumers do nothing twice), and what nodes last said was said to the other one. Positions go on above all that were seen.
 */
export async function forgetOldServer(place: Place): Promise<void> {
  await withAdmin(addressOf(place), async (client) => {
    await client.query('begin');
    await client.query(`update outbox_events set transaction_id = '0'`);
    await client.query(`update relay_watermarks set transaction_from = '0', transaction_to = '0', "position" = 0`);
    await client.query(`delete from node_reports`);
    await client.query(
      `select setval(pg_get_serial_sequence('public.outbox_events', 'position'),
         coalesce((select max("position") from outbox_events), 0) + $1)`,
      [positionsSkipped],
    );
    await client.query('commit');
  });
}

/** The last step: processes find the database under its name only when it is whole. */
export async function giveName({ adminUrl, database }: Place, name: string): Promise<void> {
  await withAdmin(adminUrl, async (admin) => {
    await admin.query(`drop database if exists ${escapeIdentifier(name)}`);
    await admin.query(`alter database ${escapeIdentifier(database)} rename to ${escapeIdentifier(name)}`);
  });
}

function addressOf({ adminUrl, database }: Place): string {
  const address = new URL(adminUrl);
  address.pathname = `/${encodeURIComponent(database)}`;
  return address.href;
}

async function withAdmin<T>(
  url: string,
  work: (client: Awaited<ReturnType<typeof connectSingle>>) => Promise<T>,
): Promise<T> {
  const client = await connectSingle({ connectionString: url, application_name: 'gpuaas restore' });
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from 'pg';
import { connectSingle } from '../single-connection.ts';

/** Where the numbered files are: `0001-foundation.up.sql` and its `.down.sql`. */
export const migrationsFolder = join(import.meta.dirname, '../../../../db/migrations');

export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly up: string;
  readonly down: string;
  readonly checksum: string;
}

export async function readMigrations(folder = migrationsFolder): Promise<Migration[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.up.sql')).sort();
  return Promise.all(
    files.map(async (file, index) => {
      const match = /^(\d{4})-([a-z0-9-]+)\.up\.sql$/.exec(file);
      if (!match || Number(match[1]) !== index + 1) {
        throw new Error(`${file}: migrations are numbered one after the other, like 0001-foundation.up.sql`);
      }
      const up = await readFile(join(folder, file), 'utf8');
      const down = await readFile(join(folder, file.replace('.up.sql', '.down.sql')), 'utf8');
      const checksum = createHash('sha256').update(up).digest('hex');
      return { number: index + 1, name: match[2] ?? '', up, down, checksum };
    }),
  );
}

/** The schema and the program do not know each other; neither guesses. */
export class SchemaMismatch extends Error {
  override readonly name = 'SchemaMismatch';
}

const lockKey = 7_275_001;

/** Runs `work` alone: of several processes that start together, one migrates and the others wait for it. */
async function alone<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await connectSingle({ connectionString: url, application_name: 'gpuaas migrate' });
  try {
    await client.query('select pg_advisory_lock($1)', [lockKey]);
    await client.query(`create table if not exists schema_migrations (
      number integer primary key,
      name text not null,
      checksum text not null,
      applied_at timestamptz not null default clock_timestamp()
    )`);
    return await work(client);
  } finally {
    await client.end();
  }
}

async function applied(client: Client, known: readonly Migration[]): Promise<number> {
  const { rows } = await client.query<{ number: number; name: string; checksum: string }>(
    'select number, name, checksum from schema_migrations order by number',
  );
  for (const row of rows) {
    const migration = known[row.number - 1];
    if (!migration) {
      throw new SchemaMismatch(
        `The database is at migration ${row.number} (${row.name}), which this release does not know. Start the release that wrote it, or a newer one.`,
      );
    }
    if (migration.checksum !== row.checksum) {
      throw new SchemaMismatch(
        `Migration ${row.number} (${row.name}) was applied with other contents. Applied migrations are never edited: write a new one.`,
      );
    }
  }
  return rows.length;
}

/** Brings the schema to `to` (default: the newest). Each file is one transaction. Answers what was applied. */
export async function migrateUp(
  url: string,
  migrations: readonly Migration[],
  to = migrations.length,
): Promise<string[]> {
  return alone(url, async (client) => {
    const done: string[] = [];
    for (const migration of migrations.slice(await applied(client, migrations), to)) {
      await inTransaction(client, migration.up, [
        'insert into schema_migrations (number, name, checksum) values ($1, $2, $3)',
        [migration.number, migration.name, migration.checksum],
      ]);
      done.push(migration.name);
    }
    return done;
  });
}

export async function migrateDown(url: string, migrations: readonly Migration[], to: number): Promise<string[]> {
  return alone(url, async (client) => {
    const undone: string[] = [];
    for (const migration of migrations.slice(to, await applied(client, migrations)).reverse()) {
      await inTransaction(client, migration.down, [
        'delete from schema_migrations where number = $1',
        [migration.number],
      ]);
      undone.push(migration.name);
    }
    return undone;
  });
}

async function inTransaction(client: Client, script: string, [text, values]: [string, unknown[]]): Promise<void> {
  await client.query('begin');
  try {
    await client.query(script);
    await client.query(text, values);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}

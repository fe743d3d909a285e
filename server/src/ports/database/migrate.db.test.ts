import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../testing/postgres.ts';
import { type Migration, migrateDown, migrateUp, readMigrations, SchemaMismatch } from './migrate.ts';

const migration = (number: number, up: string, down = 'select 1'): Migration => ({
  number,
  name: `step-${number}`,
  up,
  down,
  checksum: `sum of ${up}`,
});

/** Shows how often it ran. */
const counted = migration(1, 'create table runs (at timestamptz); insert into runs values (now())', 'drop table runs');

const waiters = `
  select count(*)::int as n from pg_locks
  where locktype = 'advisory' and not granted
    and database = (select oid from pg_database where datname = current_database())`;

describe('migrate', () => {
  let database: TestDatabase;
  let client: Client;
  beforeEach(async () => {
    database = await openTestDatabase();
    client = new Client({ connectionString: database.url });
    await client.connect();
  });
  afterEach(async () => {
    await client.end();
    await database.close();
  });
  const applied = async () =>
    (await client.query('select number from schema_migrations order by number')).rows.map(({ number }) => number);
  const exists = async (table: string) =>
    (await client.query('select to_regclass($1) is not null as there', [table])).rows[0].there;

  it('applies what is missing, says what, and does nothing the second time', async () => {
    const steps = [counted, migration(2, 'create table two ()')];
    expect(await migrateUp(database.url, steps.slice(0, 1))).toEqual(['step-1']);
    expect(await migrateUp(database.url, steps)).toEqual(['step-2']);
    expect(await migrateUp(database.url, steps)).toEqual([]);
    expect((await client.query('select count(*)::int as n from runs')).rows[0].n).toBe(1);
  });

  it('applies every file of ours once, however often it is asked', async () => {
    const ours = await readMigrations();
    expect(await migrateUp(database.url, ours)).toHaveLength(ours.length);
    expect(await migrateUp(database.url, ours)).toEqual([]);
  });

  it('applies once when several processes start together', async () => {
    const program = `
      import { migrateUp } from ${JSON.stringify(join(import.meta.dirname, 'migrate.ts'))};
      console.log(JSON.stringify(await migrateUp(process.argv[1], JSON.parse(process.argv[2]))));`;
    const steps = [counted, migration(2, 'create table two ()')];
    const outcomes = await Promise.all(
      [1, 2, 3].map(async () => {
        const child = spawn(
          process.execPath,
          ['--input-type=module-typescript', '-e', program, database.url, JSON.stringify(steps)],
          { stdio: ['ignore', 'pipe', 'inherit'] },
        );
        return JSON.parse(await text(child.stdout)) as string[];
      }),
    );
    expect(outcomes.toSorted((a, b) => b.length - a.length)).toEqual([['step-1', 'step-2'], [], []]);
    expect((await client.query('select count(*)::int as n from runs')).rows[0].n).toBe(1);
  });

  it('waits for another one that is migrating', async () => {
    await client.query('select pg_advisory_lock(7275001)');
    const waiting = migrateUp(database.url, [counted]);
    await expect.poll(async () => (await client.query(waiters)).rows[0].n).toBe(1);
    expect(await exists('runs')).toBe(false);
    await client.query('select pg_advisory_unlock(7275001)');
    expect(await waiting).toEqual(['step-1']);
  });

  it('refuses a file that was edited after it was applied', async () => {
    await migrateUp(database.url, [counted]);
    const edited = [{ ...counted, checksum: 'another' }, migration(2, 'create table two ()')];
    await expect(migrateUp(database.url, edited)).rejects.toThrow(SchemaMismatch);
    await expect(migrateUp(database.url, edited)).rejects.toThrow('never edited: write a new one');
    await expect(migrateDown(database.url, edited, 0)).rejects.toThrow(SchemaMismatch);
    expect(await exists('two')).toBe(false);
  });

  it('refuses a database that is newer than itself, and leaves it alone', async () => {
    await migrateUp(database.url, [counted, migration(2, 'create table two ()', 'drop table two')]);
    await expect(migrateUp(database.url, [counted])).rejects.toThrow(
      'at migration 2 (step-2), which this release does not know',
    );
    await expect(migrateDown(database.url, [counted], 0)).rejects.toThrow(SchemaMismatch);
    expect(await applied()).toEqual([1, 2]);
  });

  it('leaves nothing of a migration that fails half-way, and keeps those before it', async () => {
    const halfway = migration(2, 'create table half (n int); insert into half select 1 / 0');
    await expect(migrateUp(database.url, [counted, halfway])).rejects.toThrow('division by zero');
    expect(await applied()).toEqual([1]);
    expect(await exists('half')).toBe(false);
    const repaired = migration(2, 'create table half ()');
    expect(await migrateUp(database.url, [counted, repaired])).toEqual(['step-2']);
  });

  it('keeps what it has when a way back fails', async () => {
    const steps = [counted, migration(2, 'create table two ()', 'drop table two; drop table nowhere')];
    await migrateUp(database.url, steps);
    await expect(migrateDown(database.url, steps, 0)).rejects.toThrow('"nowhere" does not exist');
    expect(await applied()).toEqual([1, 2]);
    expect(await exists('two')).toBe(true);
  });

  it('goes back one by one, the newest first', async () => {
    const steps = [counted, migration(2, 'create table two ()', 'drop table two'), migration(3, 'select 1')];
    await migrateUp(database.url, steps);
    expect(await migrateDown(database.url, steps, 1)).toEqual(['step-3', 'step-2']);
    expect(await applied()).toEqual([1]);
    expect(await exists('runs')).toBe(true);
  });

  it('locks nobody out after a failure', async () => {
    await expect(migrateUp(database.url, [migration(1, 'select 1 / 0')])).rejects.toThrow();
    expect(await migrateUp(database.url, [counted])).toEqual(['step-1']);
  });
});

describe('the folder of migrations', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gpuaas-migrations-'));
  });
  afterEach(() => rm(folder, { recursive: true }));
  const put = (name: string) => writeFile(join(folder, name), 'select 1;\n');

  it('is read in order', async () => {
    for (const name of ['0002-b.up.sql', '0002-b.down.sql', '0001-a.up.sql', '0001-a.down.sql']) await put(name);
    expect((await readMigrations(folder)).map(({ number, name }) => [number, name])).toEqual([
      [1, 'a'],
      [2, 'b'],
    ]);
  });

  it.each([
    ['a gap', ['0001-a.up.sql', '0001-a.down.sql', '0003-c.up.sql', '0003-c.down.sql']],
    ['a number twice', ['0001-a.up.sql', '0001-a.down.sql', '0001-b.up.sql', '0001-b.down.sql']],
    ['a name in another style', ['0001_a.up.sql', '0001_a.down.sql']],
  ])('may not have %s', async (_, names) => {
    for (const name of names) await put(name);
    await expect(readMigrations(folder)).rejects.toThrow('numbered one after the other');
  });

  it('has a way back for every step', async () => {
    await put('0001-a.up.sql');
    await expect(readMigrations(folder)).rejects.toThrow('0001-a.down.sql');
  });
});

import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../testing/postgres.ts';
import { type Migration, migrateUp } from './migrate.ts';
import { planMigration } from './migration-plan.ts';

const migration = (number: number, up: string): Migration => ({
  number,
  name: `step-${number}`,
  up,
  down: 'select 1',
  checksum: `sum of ${up}`,
});
const steps = [migration(1, 'create table one ()'), migration(2, 'create table two ()')];

describe('the plan of a migration', () => {
  let database: TestDatabase;
  let name: string;
  beforeEach(async () => {
    database = await openTestDatabase();
    name = new URL(database.url).pathname.slice(1);
  });
  afterEach(() => database.close());
  const plan = (known = steps, of = name) => planMigration(database.url, of, known);

  it('names everything for a database that is empty or not there, and makes none', async () => {
    expect(await plan(steps, 'not_there')).toMatchObject({ at: undefined, pending: steps });
    expect(await plan()).toMatchObject({ at: undefined, pending: steps });
    const client = new Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query(
      `select to_regclass('schema_migrations') is null as untouched,
              exists (select from pg_database where datname = 'not_there') as made`,
    );
    await client.end();
    expect(rows).toEqual([{ untouched: true, made: false }]);
  });

  it('names what is missing, and nothing once all is applied', async () => {
    await migrateUp(database.url, steps.slice(0, 1));
    expect(await plan()).toMatchObject({ at: { number: 1, name: 'step-1' }, pending: [{ name: 'step-2' }] });
    await migrateUp(database.url, steps);
    expect(await plan()).toMatchObject({ at: { number: 2 }, pending: [] });
  });

  it('refuses a database that a newer release wrote, and one with other contents', async () => {
    await migrateUp(database.url, steps);
    await expect(plan(steps.slice(0, 1))).rejects.toThrow('migration 2 (step-2), which this release does not know');
    await expect(plan([migration(1, 'create table other ()'), ...steps.slice(1)])).rejects.toThrow('other contents');
  });
});

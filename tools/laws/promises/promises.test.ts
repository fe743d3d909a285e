import { Client, type DatabaseError } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTestSchema, type TestSchema } from '../../../server/src/testing/schema.ts';
import { checks, type Promised, uniqueness } from './list.ts';
import { onlyGrow } from './only-grow.ts';
import { insertRow } from './testing.ts';

let schema: TestSchema;
let client: Client;
beforeAll(async () => {
  schema = await openTestSchema();
  client = new Client({ connectionString: schema.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await schema.close();
});
beforeEach(async () => {
  await client.query('begin');
  // Triggers and references rest, so that a row needs no others: what refuses is the index or the check alone.
  await client.query(`set local session_replication_role = replica`);
});
afterEach(() => client.query('rollback'));

/** What a statement was refused for; the transaction goes on. */
async function refusal(work: () => Promise<unknown>): Promise<Pick<DatabaseError, 'code' | 'constraint'> | undefined> {
  await client.query('savepoint attempt');
  try {
    await work();
    return undefined;
  } catch (error) {
    await client.query('rollback to savepoint attempt');
    const { code, constraint } = error as DatabaseError;
    // A row of a month is refused by the index of that month.
    return { code, constraint: constraint?.replace(/_(rest|before)_/, '_') };
  }
}
// With the foreign keys of other tables that stand on it.
const setAside = async ({ table, aside }: Promised): Promise<void> => {
  if (aside) await client.query(`alter table public.${table} drop constraint "${aside}" cascade`);
};
const found = async (query: string): Promise<string[]> =>
  (await client.query(query)).rows.map(({ name }) => name as string).sort();

describe('a promise of the schema', () => {
  it.each(Object.entries(uniqueness))('%s: the second row is refused', async (name, promised) => {
    const { table, row } = promised;
    await setAside(promised);
    await insertRow(client, table, row);
    expect(await refusal(() => insertRow(client, table, row))).toEqual({ code: '23505', constraint: name });
  });

  it.each(Object.entries(checks))('%s: the row is refused', async (name, { table, row }) => {
    expect(await refusal(() => insertRow(client, table, row))).toEqual({ code: '23514', constraint: name });
  });

  it.each(Object.keys(onlyGrow))('%s: a row is neither changed nor removed', async (table) => {
    await insertRow(client, table, {});
    await client.query('set local session_replication_role = origin');
    await client.query(
      `select act_begin('01900000-0000-7000-8000-0000000000ac', 'tester', 'platform', null, null, now()::text, null, null,
         null)`,
    );
    const [column] = await found(
      `select attname as name from pg_attribute where attrelid = 'public.${table}'::regclass and attnum = 1`,
    );
    for (const attempt of [
      `update ${table} set "${column}" = "${column}"`,
      `delete from ${table}`,
      `truncate ${table} cascade`,
    ]) {
      expect(await refusal(() => client.query(attempt)), attempt).toMatchObject({ code: 'GP003' });
    }
  });
});

describe('the list of promises', () => {
  it('has every unique index that says more than that an id is an id', async () => {
    const names = await found(
      `select x.relname as name from pg_index i join pg_class x on x.oid = i.indexrelid
         join pg_class c on c.oid = i.indrelid
       where i.indisunique and c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
         and not (i.indisprimary and i.indnkeyatts = 1)
         and pg_get_indexdef(i.indexrelid) !~ '\\((id, organization_id|id, currency|organization_id, currency)\\)$'`,
    );
    const missing = names.filter((name) => !Object.hasOwn(uniqueness, name));
    expect(missing, 'say in tools/laws/promises/list.ts what each of these promises').toEqual([]);
  });

  it('has every check that compares one column with another', async () => {
    const names = await found(
      `select conname as name from pg_constraint
       where contype = 'c' and connamespace = 'public'::regnamespace and cardinality(conkey) > 1`,
    );
    const missing = names.filter((name) => !Object.hasOwn(checks, name));
    expect(missing, 'say in tools/laws/promises/list.ts what each of these promises').toEqual([]);
  });

  it('has every table that only grows', async () => {
    const names = await found(
      `select distinct c.relname as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
       where t.tgfoid = 'guard_append_only'::regproc and c.relnamespace = 'public'::regnamespace`,
    );
    expect(names).toEqual(Object.keys(onlyGrow).sort());
  });

  it.each([
    ...Object.entries(uniqueness).map(([name, { table }]) => [name, table] as const),
    ...Object.entries(checks).map(([name, { table }]) => [name, table] as const),
  ])('notices when %s is gone', async (name, table) => {
    const promised = uniqueness[name] ?? checks[name];
    const { rows } = await client.query(`select from pg_constraint where conname = $1`, [name]);
    await client.query(
      rows.length > 0 ? `alter table public.${table} drop constraint "${name}" cascade` : `drop index public."${name}"`,
    );
    if (promised) await setAside(promised);
    if (Object.hasOwn(uniqueness, name)) await insertRow(client, table, promised?.row ?? {});
    const refused = await refusal(() => insertRow(client, table, promised?.row ?? {}));
    expect(refused?.constraint).not.toBe(name);
  });
});

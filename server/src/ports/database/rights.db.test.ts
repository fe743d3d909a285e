import { readFile } from 'node:fs/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestSchema, type TestSchema } from '../../testing/schema.ts';
import { families } from './roles.ts';

/**
 * What each role may do with each table, tried by doing it, and compared with db/rights.txt, which people write and read. A
 * grant that a migration adds without that list, or that the list promises and no migration gives, fails here by name.
 */
const listPath = new URL('../../../../db/rights.txt', import.meta.url);
const doings = { read: 'r', insert: 'i', update: 'u', delete: 'd' } as const;
type Doing = keyof typeof doings;

interface Table {
  readonly name: string;
  readonly columns: readonly string[];
}

let schema: TestSchema;
let tables: readonly Table[];
let listed: ReadonlyMap<string, Readonly<Record<string, string>>>;

beforeAll(async () => {
  schema = await openTestSchema();
  const root = new Client({ connectionString: schema.url });
  await root.connect();
  const { rows } = await root.query<Table>(
    `select c.relname as name, array_agg(quote_ident(a.attname) order by a.attnum) as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
       and a.attgenerated = '' and a.attidentity <> 'a'
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') group by 1 order by 1`,
  );
  tables = rows;
  await root.end();
  const lines = (await readFile(listPath, 'utf8')).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  listed = new Map(
    lines.map((line) => {
      const [table = '', ...rights] = line.split(/\s+/);
      return [table, Object.fromEntries(rights.map((each) => each.split('=') as [string, string]))];
    }),
  );
});
afterAll(() => schema?.close());

async function may(client: Client, text: string): Promise<boolean> {
  await client.query('savepoint trying');
  try {
    await client.query(text);
    return true;
  } catch (error) {
    // Whatever else refuses it, a guard, a check or a missing value, comes after the right to try.
    return (error as { code?: string }).code !== '42501';
  } finally {
    await client.query('rollback to savepoint trying');
  }
}

async function rightsOf(client: Client, { name, columns }: Table): Promise<string> {
  const each = (doing: (column: string) => string) => columns.map(doing);
  const tries: Readonly<Record<Doing, readonly string[]>> = {
    read: each((column) => `select ${column} from public.${name} limit 0`),
    insert: each((column) => `insert into public.${name} (${column}) select null where false`),
    update: each((column) => `update public.${name} set ${column} = default where false`),
    delete: [`delete from public.${name} where false`],
  };
  let rights = '';
  for (const [doing, letter] of Object.entries(doings) as [Doing, string][]) {
    for (const text of tries[doing]) {
      if (!(await may(client, text))) continue;
      rights += letter;
      break;
    }
  }
  return rights;
}

describe('the rights of each role', () => {
  it.each(families)('%s does with each table what db/rights.txt says, and nothing else', async (role) => {
    const url = new URL(schema.url);
    url.searchParams.set('options', `-c role=${role}`);
    const client = new Client({ connectionString: url.href });
    await client.connect();
    const found: Record<string, string> = {};
    const wanted: Record<string, string> = {};
    try {
      await client.query('begin');
      for (const table of tables) {
        found[table.name] = await rightsOf(client, table);
        wanted[table.name] = listed.get(table.name)?.[role.replace('gpuaas_', '')] ?? '';
      }
    } finally {
      await client.end();
    }
    expect(found).toEqual(wanted);
  });

  it('are listed for tables that exist', () => {
    const names = tables.map(({ name }) => name);
    expect([...listed.keys()].filter((name) => !names.includes(name))).toEqual([]);
  });

  const closed = [
    'account_sessions',
    'console_sessions',
    'personal_tokens',
    'service_account_keys',
    'ssh_keys',
    'task_signers',
    'token_signing_keys',
    'users',
  ];
  /** Who is disabled gets no notification, so their sender asks for that, and for nothing else about people. */
  const exceptions: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
    notifier: { users: ['id', 'disabled_at'] },
  };
  const stolen = ['relay', 'mailer', 'billing', 'notifier', 'webhooks'];

  it.each(stolen)('keep a stolen %s from keys, tokens and sessions', async (role) => {
    const of = new Map(tables.map(({ name, columns }) => [name, columns]));
    expect([...of.keys()]).toEqual(expect.arrayContaining(closed));
    const url = new URL(schema.url);
    url.searchParams.set('options', `-c role=gpuaas_${role}`);
    const client = new Client({ connectionString: url.href });
    await client.connect();
    try {
      await client.query('begin');
      for (const table of closed) {
        const readable: string[] = [];
        for (const column of of.get(table) ?? []) {
          if (await may(client, `select ${column} from public.${table} limit 0`)) readable.push(column);
        }
        expect({ table, readable }).toEqual({ table, readable: exceptions[role]?.[table] ?? [] });
        expect({ table, rights: await rightsOf(client, { name: table, columns: of.get(table) ?? [] }) }).toEqual({
          table,
          rights: exceptions[role]?.[table] ? 'r' : '',
        });
      }
    } finally {
      await client.end();
    }
  });

  it('open the secrets of webhooks to the process that signs with them, and to the api that makes them', () => {
    expect(Object.keys(listed.get('webhook_secrets') ?? {}).sort()).toEqual(['api', 'webhooks']);
  });
});

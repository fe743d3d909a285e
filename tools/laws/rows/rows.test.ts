import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLog } from '../../../server/src/kernel/telemetry/log.ts';
import { openPostgresBus } from '../../../server/src/ports/bus/postgres/postgres.ts';
import { openTestSchema, type TestSchema } from '../../../server/src/testing/schema.ts';
import { differences } from './compare.ts';
import { openDescriber } from './describe.ts';
import { neverNull } from './never-null.ts';
import { readProgram } from './program.ts';

/**
 * `rows<T>(statement)` is a promise that nobody checks at run time. Here the compiler says what T is, PostgreSQL says what
 * the statement answers with, and both are compared.
 */
const root = join(import.meta.dirname, '../../..');
/** Where the statement is handed in by the caller, who is checked at his own place. */
const handedIn = [/^server\/src\/kernel\/machine\.ts/, /^server\/src\/kernel\/secrets\/sealed-rows\.ts/];
/** The simulated provider of payments is a program of its own with tables of its own; its suite runs its statements. */
const elsewhere = [/^server\/src\/ports\/payments\/simulated/];
let schema: TestSchema;
let client: Client;
let columnsOf: Awaited<ReturnType<typeof openDescriber>>;
let program: ReturnType<typeof readProgram>;
beforeAll(async () => {
  schema = await openTestSchema();
  // The bus makes its tables when it is opened.
  const bus = await openPostgresBus({ url: schema.url, streams: {}, log: silentLog });
  await bus.close();
  client = new Client({ connectionString: schema.url, options: '-c search_path=public,bus' });
  await client.connect();
  columnsOf = await openDescriber(client);
  program = readProgram(root);
}, 120_000);
afterAll(async () => {
  await client.end();
  await schema.close();
});

describe('every statement of the server', () => {
  it('is a text that is known before the program runs, and PostgreSQL understands it', async () => {
    const wrong: string[] = [];
    for (const { name, place, text } of program.statements) {
      if (text === undefined) wrong.push(`${place} ${name}: the text is put together at run time`);
      else await columnsOf(text).catch((error: Error) => wrong.push(`${place} ${name}: ${error.message}`));
    }
    expect(wrong).toEqual([]);
    expect(program.statements.length).toBeGreaterThan(500);
  });

  it('answers with the rows that the code says it does', async () => {
    const wrong: string[] = [];
    const excused = new Set<string>();
    for (const { place, statements, row } of program.calls) {
      for (const { name, text = '' } of statements) {
        for (const { column, problem } of differences(row, await columnsOf(text))) {
          const key = `${name}.${column}`;
          if (problem === 'null' && key in neverNull) excused.add(key);
          else wrong.push(`${place} ${name}: ${column} ${said[problem] ?? problem}`);
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(Object.keys(neverNull).filter((key) => !excused.has(key))).toEqual([]);
    expect(program.calls.length).toBeGreaterThan(300);
  });

  it('is found at the call: only those that hand a statement on are not', () => {
    const known = [...handedIn, ...elsewhere];
    expect(program.unresolved.filter((place) => !known.some((pattern) => pattern.test(place)))).toEqual([]);
  });

  it('is reported when its type lies', async () => {
    const columns = await columnsOf('select id, version, state, ended_at, gpu_count from allocations where id = $1');
    const text = { kind: 'string', mayBeNull: false, isOptional: false };
    expect(differences([{ name: 'id', ...text }], columns)).toEqual([]);
    expect(differences([{ name: 'name', ...text }], columns)).toEqual([{ column: 'name', problem: 'absent' }]);
    expect(differences([{ name: 'version', ...text }], columns)).toEqual([
      { column: 'version', problem: 'is string in the type and bigint in the database' },
    ]);
    expect(differences([{ name: 'ended_at', ...text, kind: 'Date' }], columns)).toEqual([
      { column: 'ended_at', problem: 'null' },
    ]);
    await expect(columnsOf('select no_such_column from allocations')).rejects.toThrow(/no_such_column/);
  });
});

const said: Readonly<Record<string, string>> = {
  absent: 'is in the type and not in the answer',
  null: 'may be null in the database and not in the type',
};

import { join } from 'node:path';
import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import {
  type Migration,
  migrateDown,
  migrateUp,
  migrationsFolder,
  readMigrations,
} from '../../server/src/ports/database/migrate.ts';
import { openTestDatabase } from '../../server/src/testing/postgres.ts';
import { dumpSchema } from '../emit/schema-dump.ts';
import { checksumLines, checksumsPath, growChecksums, readLines } from '../emit/schema-file.ts';
import { runProgram } from '../lib/program.ts';
import { root } from '../lib/tree.ts';
import { findEdited, findOwnTransactions } from './schema-files.ts';

/** Walks all the way up, and down again with a second try at each step. */
async function findForgetful(migrations: readonly Migration[]): Promise<string[]> {
  const database = await openTestDatabase();
  const client = new Client({ connectionString: database.url });
  await client.connect();
  try {
    const dumps: string[] = [];
    for (const to of [0, ...migrations.map(({ number }) => number)]) {
      await migrateUp(database.url, migrations, to);
      dumps.push(await dumpSchema(client));
    }
    const found: string[] = [];
    for (const { number, name } of migrations.toReversed()) {
      await migrateDown(database.url, migrations, number - 1);
      if ((await dumpSchema(client)) !== dumps[number - 1]) found.push(`${name}.down.sql does not undo its up.sql`);
      await migrateUp(database.url, migrations, number);
      if ((await dumpSchema(client)) !== dumps[number]) found.push(`${name}.up.sql does not do the same a second time`);
      await migrateDown(database.url, migrations, number - 1);
    }
    return found;
  } finally {
    await client.end();
    await database.close();
  }
}

describe('migrations', () => {
  it('go up, down and up again, and leave the same schema each time', async () => {
    expect(await findForgetful(await readMigrations())).toEqual([]);
  }, 300_000);

  it.each([
    [
      'a way back forgets something',
      'create table if not exists a ()',
      'select 1',
      ['a.down.sql does not undo its up.sql'],
    ],
    [
      'a second way up is another one',
      `create table a (); do $$ begin if to_regclass('b') is not null then alter table a add c int; end if; end $$`,
      'drop table a; create table if not exists b ()',
      ['a.down.sql does not undo its up.sql', 'a.up.sql does not do the same a second time'],
    ],
  ])('are caught when %s', async (_, up, down, findings) => {
    expect(await findForgetful([{ number: 1, name: 'a', checksum: 'x', up, down }])).toEqual(findings);
  });

  it('are each one transaction, which the files leave alone', async () => {
    const found = (await readMigrations()).flatMap(({ name, up, down }) => [
      ...findOwnTransactions(`${name}.up.sql`, up),
      ...findOwnTransactions(`${name}.down.sql`, down),
    ]);
    expect(found).toEqual([]);
  });

  it.each([
    'begin;',
    'select 1;\ncommit;',
    'start transaction;',
    'rollback;',
    'create index concurrently x on y (z);',
    'vacuum projects;',
  ])('may not say: %s', (script) => {
    expect(findOwnTransactions('0009-x.up.sql', script)).toEqual([expect.stringMatching(/^0009-x\.up\.sql:\d: /)]);
  });

  it('may begin and end a block of code', () => {
    expect(findOwnTransactions('x', `do $$\nbegin\n  null;\nend\n$$;\n-- commit;\nselect 'begin;';`)).toEqual([]);
  });
});

describe('the list of checksums', () => {
  const listed = readLines(join(root, checksumsPath));

  it('has every migration as it is', () => {
    expect(findEdited(listed, checksumLines(migrationsFolder))).toEqual([]);
  });

  it('has everything that the last release had', async () => {
    // A release is what others may have applied. Before the first one there is nothing to keep.
    const tag = (await runProgram('git', ['tag', '--list', 'v*', '--merged', 'HEAD', '--sort=-creatordate'])).stdout;
    const [latest] = tag.split('\n').filter((line) => line !== '');
    const released = latest ? (await runProgram('git', ['show', `${latest}:${checksumsPath}`])).stdout.split('\n') : [];
    expect(released.filter((line) => line !== '' && !listed.includes(line))).toEqual([]);
  });

  const old = ['aaa  0001-a.down.sql', 'bbb  0001-a.up.sql'];
  it.each([
    ['was edited', old, ['aaa  0001-a.down.sql', 'ccc  0001-a.up.sql'], /^0001-a\.up\.sql was edited.*new migration/],
    ['is gone', old, ['aaa  0001-a.down.sql'], /^0001-a\.up\.sql is gone.*new migration/],
    ['is new', old, [...old, 'ddd  0002-b.up.sql'], /^0002-b\.up\.sql is not on the list.*npm run gen/],
  ])('tells when a file %s', (_, list, files, finding) => {
    expect(findEdited(list, files)).toEqual([expect.stringMatching(finding)]);
  });

  it('grows by new files and keeps the lines that it has', () => {
    expect(growChecksums(old, ['zzz  0001-a.up.sql', 'ddd  0002-b.up.sql'])).toEqual([...old, 'ddd  0002-b.up.sql']);
  });
});

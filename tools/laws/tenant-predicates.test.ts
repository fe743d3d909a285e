import { join } from 'node:path';
import { openTestSchema, type TestSchema } from '@gpuaas/server/src/testing/schema.ts';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { domainSources, statementsIn, withoutPredicate } from './tenant-predicates.ts';

const root = join(import.meta.dirname, '../..');

/** Statements that look over the walls on purpose, for operators and our own processes. This list only shrinks. */
const excused = new Set([
  'dead-letter-list',
  'dead-letter-get',
  'dead-letter-of-event',
  'dead-letter-lock',
  'dead-letter-move',
  'dead-letter-depth',
  'consumed-forget',
]);

let schema: TestSchema;
let tables: string[];
beforeAll(async () => {
  schema = await openTestSchema();
  const client = new pg.Client({ connectionString: schema.url });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    `select table_name as name from information_schema.columns where table_schema = 'public' and column_name = 'organization_id'
     union select 'organizations' order by 1`,
  );
  tables = rows.map((row) => row.name);
  await client.end();
});
afterAll(() => schema.close());

describe('every statement of a domain on a tenant table', () => {
  it('says of each table whose rows it means, with mine(...), is_me(...) or the same organization', () => {
    const findings = domainSources(root).flatMap(({ file, source }) => withoutPredicate(source, file, tables, excused));
    expect(findings, 'add "and mine(organization_id)" to the statement').toEqual([]);
  });

  it('is looked at: the law finds the statements and the tables', () => {
    expect(tables).toEqual(expect.arrayContaining(['projects', 'tenant_memberships', 'organizations', 'audit_logs']));
    expect(domainSources(root).flatMap(({ source }) => statementsIn(source)).length).toBeGreaterThan(20);
  });

  it('is reported when the predicate is missing', () => {
    const canary = `const get = sql('project-get', \`select id from projects where id = $1\`);`;
    expect(withoutPredicate(canary, 'canary.ts', tables, excused)).toEqual([
      { file: 'canary.ts', statement: 'project-get', table: 'projects' },
    ]);
    const update = `const move = sql('project-move', 'update projects set state = $2 where id = $1');`;
    expect(withoutPredicate(update, 'canary.ts', tables, excused)).toHaveLength(1);
  });

  it('is asked of each table, by its alias', () => {
    const look = (text: string) =>
      withoutPredicate(`sql('canary', \`${text}\`)`, 'canary.ts', tables, excused).map(({ table }) => table);
    const both = 'select from projects p join service_accounts a on a.project_id = p.id where mine(p.organization_id)';
    expect(look(both)).toEqual(['service_accounts']);
    expect(look(`${both} and mine(a.organization_id)`)).toEqual([]);
    expect(look(`${both} and a.organization_id = p.organization_id`)).toEqual([]);
    expect(look('select from organizations o join projects p on p.organization_id = o.id where mine(o.id)')).toEqual(
      [],
    );
    expect(look('select from projects p where exists (select from organizations where mine(id))')).toEqual([
      'projects',
    ]);
  });

  it('has no excuse left over for a statement that is gone', () => {
    const names = new Set(domainSources(root).flatMap(({ source }) => statementsIn(source).map(({ name }) => name)));
    expect([...excused].filter((name) => !names.has(name))).toEqual([]);
  });
});

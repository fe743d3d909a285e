import { join } from 'node:path';
import { openTestSchema, type TestSchema } from '@gpuaas/server/src/testing/schema.ts';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readList } from './ratchet.ts';
import { domainSources, statementsIn, withoutPredicate } from './tenant-predicates.ts';

const root = join(import.meta.dirname, '../..');

/** Statements that look over the walls on purpose, for operators and our own processes. */
const excused = new Set(readList('statements-over-walls').keys());

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

  it('is asked of tables after a comma, and of those that a delete uses', () => {
    const look = (text: string) =>
      withoutPredicate(`sql('canary', \`${text}\`)`, 'canary.ts', tables, excused).map(({ table }) => table);
    const listed = 'select from projects p, service_accounts a where a.project_id = p.id and mine(p.organization_id)';
    expect(look(listed)).toEqual(['service_accounts']);
    expect(look(`${listed} and mine(a.organization_id)`)).toEqual([]);
    const using =
      'delete from projects p using nodes n, service_accounts a where a.id = p.id and mine(p.organization_id)';
    expect(look(using)).toEqual(['service_accounts']);
    expect(look(`${using} and a.organization_id = p.organization_id`)).toEqual([]);
    expect(look('delete from nodes using projects where projects.id = nodes.id')).toEqual(['projects']);
    const set = 'update nodes n set name = p.name from unnest($1) u (id), projects p where p.id = u.id';
    expect(look(set)).toEqual(['projects']);
  });

  it('has no excuse left over for a statement that is gone', () => {
    const names = new Set(domainSources(root).flatMap(({ source }) => statementsIn(source).map(({ name }) => name)));
    expect([...excused].filter((name) => !names.has(name))).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { makeTree, repository } from '../../lib/tree.ts';
import { showFindings } from '../law.ts';
import { idleGuests, ownersIn, tablesHaveOneWriter } from './table-owners.ts';

/** Tables that no domain owns: the database port keeps them for everybody. */
const ofThePort = ['idempotency_records', 'leases', 'machine_edges', 'schema_migrations'];

const birds = { 'server/src/domains/birds/README.md': '- **Tables**: `nests`, `eggs`; `trees` is read.\n' };
const writing = (domain: string, statement: string) => ({
  ...birds,
  [`server/src/domains/${domain}/store.ts`]: `export const a = sql('a', '${statement}');\n`,
});

describe('a table', () => {
  it('is written by the domain that owns it', () => {
    expect(showFindings(tablesHaveOneWriter.find(repository()))).toEqual([]);
    expect(idleGuests(repository())).toEqual([]);
  });

  it('has one owner, which names it in its README', () => {
    const owners = ownersIn(repository());
    expect([...owners].filter(([, domains]) => domains.length > 1)).toEqual([]);
    const schema = repository().text('db/schema.sql');
    const tables = [...schema.matchAll(/^create table (?:public\.)?([a-z_]+) \(/gim)].map(([, name = '']) => name);
    expect(tables.length).toBeGreaterThan(50);
    const partitions = new Set(
      [...schema.matchAll(/attach partition (?:public\.)?([a-z_0-9]+)/gi)].map(([, name = '']) => name),
    );
    const orphans = tables.filter((name) => !owners.has(name) && !ofThePort.includes(name) && !partitions.has(name));
    expect(orphans).toEqual([]);
  });

  it.each([
    ['insert into', 'insert into eggs (id) values ($1)'],
    ['update', 'update eggs set warm = true'],
    ['delete', 'delete from nests where id = $1'],
    ['update by an alias', 'update eggs e set warm = true from nests n where n.id = e.nest_id'],
    ['insert by an alias', 'insert into eggs as e (id) values ($1) on conflict (id) do update set warm = e.warm'],
    ['delete by an alias', 'delete from eggs e using nests n where n.id = e.nest_id'],
    ['a table with its schema', 'update public.eggs set warm = true'],
    ['a write inside a with', 'with gone as (delete from eggs returning id) select id from gone'],
  ])('is not written by another domain: %s', (_, statement) => {
    const found = tablesHaveOneWriter.find(makeTree(writing('cats', statement)));
    expect(found.map(({ message }) => message)).toEqual([expect.stringContaining('is written by birds alone')]);
    expect(tablesHaveOneWriter.find(makeTree(writing('birds', statement)))).toEqual([]);
  });

  it('may be read by every domain, and locked', () => {
    const statement = 'select id from eggs where id = $1 for update of eggs';
    expect(tablesHaveOneWriter.find(makeTree(writing('cats', statement)))).toEqual([]);
  });
});

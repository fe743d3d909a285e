import { expect, it } from 'vitest';
import { repository } from '../../lib/tree.ts';
import { homelessMachines, homesOfStates, statesSetBy } from './state-laws.ts';

it.each([
  ['update slots set state = $1 where id = $2', ['slots']],
  ['update only slots s set version = 2, state = $1 from x where s.id = x.id', ['slots']],
  ['update public.slots as s set (state, version) = ($1, 2) where id = $2', ['slots']],
  ['update slots s set n = (select max(t.n) from slots t where t.id = s.id), state = $1', ['slots']],
  ['with a as (update nodes set name = $1), b as (update slots s set state = $2) select 1', ['slots']],
  ['insert into slots (id) values ($1) on conflict (id) do update set state = excluded.state', ['slots']],
  [`update nodes set name = $1 where state = 'active'`, []],
  [`update nodes n set name = s.state from slots s where s.state = 'free'`, []],
  ['update nodes set state_reason = $1 where id = $2', []],
])('%s changes the state of %j', (text, tables) => {
  expect(statesSetBy(text)).toEqual(tables);
});

it('every machine has a table and files that are there', () => {
  expect(homelessMachines()).toEqual([]);
  const { paths, text } = repository();
  const files = Object.values(homesOfStates).flatMap((home) => home.files);
  expect(files.filter((file) => !paths.includes(file))).toEqual([]);
  const guards = [...text('db/schema.sql').matchAll(/ON (?:public\.)?([a-z_]+) .*guard_machine\('([a-z_]+)'\)/gi)];
  expect(Object.fromEntries(guards.map(([, table, machine]) => [machine, table]))).toEqual(
    Object.fromEntries(Object.entries(homesOfStates).map(([machine, { table }]) => [machine, table])),
  );
});

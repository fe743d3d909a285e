import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { defineMachine, edges } from './machine.ts';
import { machines } from './machines/index.ts';

const published = new URL('../../api/machines/', import.meta.url);
const read = (name: string) => readFileSync(new URL(`${name}.md`, published), 'utf8');

/** What a reader of the published page was told. */
const tableOf = (page: string) => ({
  initial: /Starts as `([a-z_]+)`/.exec(page)?.[1],
  terminal: [...(/ends as ([^.]*)\./.exec(page)?.[1] ?? '').matchAll(/`([a-z_]+)`/g)].map(([, state = '']) => state),
  edges: [...page.matchAll(/^\| `(\w+)` \| `(\w+)` \| `(\w+)` \|$/gm)].map(
    ([, from = '', transition = '', to = '']) => ({
      from,
      to,
      transition,
    }),
  ),
});
const inOrder = (list: readonly object[]) => list.map((one) => JSON.stringify(one)).sort();

describe('the machines of the contract', () => {
  it('are those that are published', () => {
    const names = readdirSync(published).map((file) => file.replace('.md', ''));
    expect(machines.map(({ name }) => name).sort()).toEqual(names.sort());
  });

  it.each(machines.map((machine) => [machine.name, machine] as const))(
    '%s has the published edges',
    (name, machine) => {
      const table = tableOf(read(name));
      expect(machine.initial).toBe(table.initial);
      expect([...machine.terminal].sort()).toEqual([...table.terminal].sort());
      expect(inOrder(edges(machine))).toEqual(inOrder(table.edges));
      // A state without a way out stands in the table of none, so it has to be an end.
      const states = new Set([...table.edges.flatMap(({ from, to }) => [from, to]), ...table.terminal]);
      expect(Object.keys(machine.states).sort()).toEqual([...states].sort());
    },
  );
});

describe('a machine', () => {
  const door = defineMachine({
    name: 'door',
    initial: 'open',
    terminal: ['bricked'],
    states: { open: { close: 'closed' }, closed: { open: 'open', brick: 'bricked' }, bricked: {} },
  });

  it('leads along its edges and nowhere else', () => {
    expect(door.next('open', 'close')).toBe('closed');
    expect(door.next('open', 'brick')).toBeUndefined();
    expect(door.next('bricked', 'open')).toBeUndefined();
    expect(door.may('brick', 'closed')).toBe(true);
    expect(door.may('brick', 'open')).toBe(false);
  });

  it('knows no state and no transition that only every object has', () => {
    expect(door.next('toString' as 'open', 'close')).toBeUndefined();
    expect(door.next('open', 'toString' as 'close')).toBeUndefined();
    expect(door.may('constructor' as 'close', 'open')).toBe(false);
    expect(door.next('melted' as 'open', 'close')).toBeUndefined();
  });

  it('shows its edges, each once', () => {
    expect(edges(door)).toEqual([
      { from: 'open', to: 'closed', transition: 'close' },
      { from: 'closed', to: 'open', transition: 'open' },
      { from: 'closed', to: 'bricked', transition: 'brick' },
    ]);
  });
});

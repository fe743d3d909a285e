import { edges, type MachineTable } from '@gpuaas/contract';
import { byText } from './json.ts';
import { table } from './table.ts';

/** A page per machine: the picture for people, and the table that every other copy of the rule is made from. */
export const emitMachines = (machines: readonly MachineTable[]): ReadonlyMap<string, string> =>
  new Map(machines.map((machine) => [`${machine.name}.md`, page(machine)]));

function page(machine: MachineTable): string {
  const sorted = edges(machine).toSorted(
    (a, b) => byText(a.from, b.from) || byText(a.transition, b.transition) || byText(a.to, b.to),
  );
  return [
    `# ${machine.name.replaceAll('_', ' ')}`,
    '',
    `Emitted from \`contract/src/machines\` by \`npm run gen\`. Starts as \`${machine.initial}\`, ${sayEnds(machine)}.`,
    '',
    '```mermaid',
    'stateDiagram-v2',
    `  [*] --> ${machine.initial}`,
    ...sorted.map(({ from, to, transition }) => `  ${from} --> ${to}: ${transition}`),
    ...machine.terminal.toSorted(byText).map((state) => `  ${state} --> [*]`),
    '```',
    '',
    table(
      ['from', 'transition', 'to'],
      sorted.map(({ from, transition, to }) => [`\`${from}\``, `\`${transition}\``, `\`${to}\``]),
    ),
    '',
  ].join('\n');
}

const sayEnds = ({ terminal }: MachineTable): string =>
  terminal.length === 0
    ? 'never ends'
    : `ends as ${terminal
        .toSorted(byText)
        .map((state) => `\`${state}\``)
        .join(' or ')}`;

function quote(word: string): string {
  // Names from the contract need no escapes; anything else in this place is a mistake, and SQL is no place to guess.
  if (!/^[A-Za-z0-9_]*$/.test(word))
    throw new Error(`"${word}" cannot be a state or machine: letters, digits and _ only.`);
  return `'${word}'`;
}

/**
 * The rows of `machine_edges`, which the database's own guard reads. Birth is the edge from the empty state, so that a
 * row cannot be inserted in the middle of its life. Two transitions between the same states are one edge.
 */
export function edgesSql(machines: readonly MachineTable[]): string {
  const rows = machines.flatMap((machine) => [
    [machine.name, '', machine.initial],
    ...edges(machine).map(({ from, to }) => [machine.name, from, to]),
  ]);
  const lines = new Set(rows.map((row) => `  (${row.map(quote).join(', ')})`));
  return `insert into machine_edges (machine, from_state, to_state) values\n${[...lines].sort(byText).join(',\n')};\n`;
}

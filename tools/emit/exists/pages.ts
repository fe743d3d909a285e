import { nodeTaskTypes } from '@gpuaas/contract/node';
import { processes } from '../../../server/src/bin/processes.ts';
import { repository, type Tree } from '../../lib/tree.ts';
import type { Contract } from '../contract.ts';
import { readRunbooks } from '../runbooks.ts';
import { table } from '../table.ts';
import { emitCapacity } from './capacity.ts';
import { emitDomains, tablesIn } from './domains.ts';
import { emitIncidents, incidentsOf } from './incidents.ts';
import { emitProcesses } from './processes.ts';
import { emitRunbookInventory } from './runbooks.ts';
import { emitSurface } from './surface.ts';
import { emitTasks } from './tasks.ts';

function emitIndex(contract: Contract, tree: Tree, root: string): string {
  const domains = tree.paths.filter((path) => /^server\/src\/domains\/[^/]+\/README\.md$/.test(path)).length;
  return `# What exists

What is in the tree today, counted from the tree itself: \`npm run gen\` writes every page here, and a gate fails when one is out of date. What tests have shown,
and what is not built, is in the [capability matrix](../capability-matrix.md).

${table(
  ['page', 'how many', 'what it has'],
  [
    [
      '[Processes](processes.md)',
      String(processes.length),
      'ports, database role, events that each publishes and consumes',
    ],
    [
      '[Domains and their tables](domains.md)',
      `${domains}, with ${tablesIn(tree.text('db/schema.sql')).length} tables`,
      'owner of each table, invariants, what never changes',
    ],
    [
      '[Capacity shapes and SKUs](capacity.md)',
      '2 shapes',
      'SKUs, sizes of slices, images and prices of a new installation',
    ],
    ['[Tasks of nodes](tasks.md)', String(nodeTaskTypes.length), 'everything that a host can be asked to do'],
    [
      '[The contract in numbers](contract.md)',
      `${contract.routes.length} operations`,
      'operations, events, errors, drawings of state machines',
    ],
    ['[Runbooks by category](runbooks.md)', String(readRunbooks(root).length), 'signal, severity and owner of each'],
    [
      '[Incidents](incidents.md)',
      String(incidentsOf(tree).length),
      'what went wrong elsewhere, and the tests that prevent it here',
    ],
  ],
)}
`;
}

/** The pages of what exists. */
export function emitExists(contract: Contract, root: string): ReadonlyMap<string, string> {
  const tree = repository();
  return new Map([
    ['README.md', emitIndex(contract, tree, root)],
    ['capacity.md', emitCapacity()],
    ['contract.md', emitSurface(contract)],
    ['domains.md', emitDomains(tree)],
    ['incidents.md', emitIncidents(tree)],
    ['processes.md', emitProcesses(contract)],
    ['runbooks.md', emitRunbookInventory(root)],
    ['tasks.md', emitTasks()],
  ]);
}

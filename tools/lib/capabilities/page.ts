import { proofsOf } from './judge.ts';
import { type Capability, type CapabilityGroup, isProductionFile, type Proofs } from './row.ts';

export type State =
  | 'shown'
  | 'shown on the simulated host only'
  | 'partly'
  | 'not built yet'
  | 'ruled otherwise'
  | 'informative'
  | 'not planned in this version';

/** The state of a row, provided that the tests it names are green; the gate sees to that. */
export function stateOf(row: Capability, rows: readonly Capability[]): State {
  if ('sameAs' in row) {
    const other = rows.find(({ id }) => id === row.sameAs);
    return other ? stateOf(other, rows) : 'not built yet';
  }
  if ('lacks' in row) return 'partly';
  if ('by' in row) return row.host === 'simulated' ? 'shown on the simulated host only' : 'shown';
  if ('ruledOtherwise' in row) return 'ruled otherwise';
  if ('informative' in row) return 'informative';
  if ('notPlanned' in row) return 'not planned in this version';
  return 'not built yet';
}

export const isShown = (state: State): boolean => state.startsWith('shown');

const link = (path: string) => `[${path.replace(/^.*\//, '')}](../${path})`;

/** Where the tests of a row run: on what comes with the packages, against real servers, or both. */
function whereOf(proofs: Proofs): string {
  const production = Object.keys(proofs).filter(isProductionFile).length;
  if (production === 0) return 'embedded';
  return production === Object.keys(proofs).length ? 'real servers' : 'embedded and real servers';
}

function cellOf(row: Capability, rows: readonly Capability[]): string {
  const state = stateOf(row, rows);
  const proofs = proofsOf(row, rows);
  const tests = proofs ? ` (${whereOf(proofs)}: ${Object.keys(proofs).map(link).join(', ')})` : '';
  const other = 'sameAs' in row ? rows.find(({ id }) => id === row.sameAs) : row;
  if (other && 'lacks' in other) return `partly: ${other.lacks}${tests}`;
  if (other && 'ruledOtherwise' in other) return `ruled otherwise: ${other.ruledOtherwise}`;
  if (other && 'informative' in other) return `informative: ${other.informative}`;
  if (other && 'notPlanned' in other) return `not planned in this version: ${other.notPlanned}`;
  return `${state}${tests}`;
}

export function capabilityPage(groups: readonly CapabilityGroup[]): string {
  const rows = groups.flatMap((group) => group.rows);
  const counts = new Map<State, number>();
  for (const row of rows) counts.set(stateOf(row, rows), (counts.get(stateOf(row, rows)) ?? 0) + 1);
  const sections = groups.map((group) => {
    const lines = group.rows.map((row) => `| ${row.words} | ${row.id} | ${cellOf(row, rows)} |`);
    return `## ${group.name}\n\n| capability | id | state |\n|---|---|---|\n${lines.join('\n')}\n`;
  });
  return `# Capability matrix

Emitted from \`tools/lib/capabilities\`. Each row that claims something names the tests that show it, and where they run:
\`embedded\` is \`npm test\`, \`real servers\` the second half of \`.ci/run\`. A build fails when one of those tests is missing,
skipped or red, so that a row cannot claim what its tests did not show in that build.

| state | rows |
|---|---|
${[...counts].map(([state, count]) => `| ${state} | ${count} |`).join('\n')}
| all | ${rows.length} |

${sections.join('\n')}
## What this is

A control plane for GPU capacity under construction. A row that says "shown" is shown by tests that ran and passed, on real
databases and over real connections. "On the simulated host only" means that everything up to the host is real and the host is not.

## What it is not yet

Every row that says "not built yet" or "partly". "GPU slicing" means whole GPUs in virtual machines, not fractions of a GPU,
unless a row says MIG.
`;
}

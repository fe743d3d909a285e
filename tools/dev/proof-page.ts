import type { Facts } from '../bench/machine.ts';
import { type Mutated, mutationFloor, targets } from '../chaos/mutation.ts';

/** What is run in full, and how often. */
export interface Proof {
  readonly claim: string;
  readonly unit: string;
  readonly whole: number;
  readonly count: number;
  readonly files: readonly string[];
  /** Left out where the names of the files say it. */
  readonly project?: 'oldest';
  readonly env: Readonly<Record<string, string>>;
}
export interface Proven extends Proof {
  readonly seconds: number;
  readonly passed: number;
  readonly failures: readonly string[];
}
export interface Proofs {
  readonly proven: readonly Proven[];
  readonly mutated: readonly Mutated[];
  /** No part was left out on the command line. */
  readonly isAll: boolean;
}

const shareOf = ({ killed, mutants }: Mutated) => (killed / Math.max(1, mutants)) * 100;
export const isNoticed = (mutated: Mutated): boolean => shareOf(mutated) >= mutationFloor;
/** A run in which no test passed has proven nothing, also when none failed. */
export const isProven = ({ passed, failures }: Pick<Proven, 'passed' | 'failures'>): boolean =>
  passed > 0 && failures.length === 0;
export const holds = ({ proven, mutated }: Proofs): boolean => proven.every(isProven) && mutated.every(isNoticed);

/** docs/proof.md. It is called shipped only when everything was run, in whole counts, and holds. */
export function pageOf(proofs: Proofs, before: Facts, after: Facts): string {
  const { proven, mutated, isAll } = proofs;
  const rows = proven.map(
    ({ claim, unit, count, whole, seconds, ...run }) =>
      `| ${claim} | ${count} ${unit}${count < whole ? ` of ${whole}` : ''} | ${isProven(run) ? 'holds' : '**does not hold**'} | ${seconds} s |`,
  );
  const isWhole = isAll && proven.every(({ count, whole }) => count >= whole) && mutated.length === targets.length;
  const about = [
    isAll ? '' : 'Parts were left out.',
    isWhole ? 'All counts are whole.' : 'Counts that are lower than the whole ones say so.',
    holds(proofs) ? '' : 'Lines that do not hold say so.',
  ].filter(Boolean);
  return `---
status: ${isWhole && holds(proofs) ? 'shipped' : 'partial'}
capabilities: GAP-07, GAP-17, SEC-03
---

# Proof

\`npm run prove\` wrote this page. ${about.join(' ')}

| what | how often | | took |
|---|---|---|---|
${rows.join('\n')}

Proofs of one file are run together, and the time stands beside each of them.
${failuresOf(proven)}${mutated.length > 0 ? `\n${faultsOf(mutated)}` : ''}
${before.at}, commit ${before.commit}${before.modified ? ' with changes' : ''}; ${before.cores} cores (${before.cpu}), ${before.memoryGib} GiB,
kernel ${before.kernel}, node ${before.node}; load ${before.load} before and ${after.load} after.
`;
}

/** The page says what failed, so that nobody has to guess why. */
const mostNamed = 5;
function failuresOf(proven: readonly Proven[]): string {
  const lines = proven
    .filter((proof) => !isProven(proof))
    .flatMap(({ claim, failures }) => [
      `- ${claim}:`,
      ...(failures.length > 0 ? failures.slice(0, mostNamed) : ['no test passed']).map((one) => `  - ${oneLine(one)}`),
      ...(failures.length > mostNamed ? [`  - and ${failures.length - mostNamed} more`] : []),
    ]);
  return lines.length > 0 ? `\n## What does not hold\n\n${lines.join('\n')}\n` : '';
}
const mostCharacters = 300;
const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').slice(0, mostCharacters);

const faultsOf = (mutated: readonly Mutated[]): string => `## Planted faults

Small faults are planted one at a time (a condition turned round, a block emptied, a bound moved by one), and the tests of
that code run. At least ${mutationFloor} % have to be noticed. Words are left alone.

| in | planted | noticed | | took |
|---|---|---|---|---|
${mutated
  .map(
    (one) =>
      `| ${targets.find(({ name }) => name === one.name)?.what} | ${one.mutants} | ${shareOf(one).toFixed(1)} % | ${isNoticed(one) ? 'holds' : '**does not hold**'} | ${one.seconds} s |`,
  )
  .join('\n')}
`;

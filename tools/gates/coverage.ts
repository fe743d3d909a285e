import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type Gate, runAlone } from '../lib/gate.ts';
import { root } from '../lib/tree.ts';

/**
 * The share of lines that the tests of `npm test` run, by folder or by file. Production adapters stand still in that run (their
 * suites need real servers), so the floor of ports is lower. A floor is raised when its folder has left it behind.
 */
export const floors: Readonly<Record<string, number>> = {
  'contract/src': 99,
  'contract/src/errors.ts': 100,
  'server/src/kernel': 90,
  'server/src/domains': 85,
  'server/src/edge': 90,
  'server/src/ports': 70,
  'server/src/bin': 45,
  'agent/src': 85,
  'cli/src': 70,
};

/** Read by the compiler and never run. */
const neverRuns = ['server/src/kernel/refused.ts', 'server/src/edge/refused.ts'];

interface Lines {
  readonly total: number;
  readonly covered: number;
}
export type CoverageSummary = Readonly<Record<string, { readonly lines: Lines }>>;

/** Floors of folders that are not there any more: nothing is under them, so they could not be missed. */
export const lostFloors = (paths: readonly string[]): string[] =>
  Object.keys(floors)
    .filter((folder) => !paths.some((path) => path === folder || path.startsWith(`${folder}/`)))
    .map((folder) => `${folder} has a floor and is not there; name the folder that took its place`);

/** `summary` has one entry per file, by path from the top folder. */
export function judgeCoverage(summary: CoverageSummary): { findings: string[]; shares: string[] } {
  const rows = Object.entries(floors).map(([folder, floor]) => {
    const lines = Object.entries(summary).flatMap(([path, entry]) =>
      (path === folder || path.startsWith(`${folder}/`)) && !neverRuns.includes(path) ? [entry.lines] : [],
    );
    const total = lines.reduce((sum, entry) => sum + entry.total, 0);
    const covered = lines.reduce((sum, entry) => sum + entry.covered, 0);
    return { folder, floor, total, share: total === 0 ? 0 : (covered / total) * 100 };
  });
  return {
    findings: rows
      .filter(({ total, share, floor }) => total > 0 && share < floor)
      .map(({ folder, share, floor }) => `${folder}: ${share.toFixed(1)} % of the lines ran, the floor is ${floor} %`),
    shares: rows
      .filter(({ total }) => total > 0)
      .map(({ folder, share }) => `${folder.replace(/^.*\//, '')} ${share.toFixed(0)} %`),
  };
}

export const coverage: Gate = {
  name: 'coverage',
  remedy: 'Write the test that is missing; coverage/ shows which lines never ran.',
  fast: false,
  check: async () => {
    const path = join(root, 'coverage', 'coverage-summary.json');
    if (!existsSync(path)) return { findings: ['the test run wrote no coverage/coverage-summary.json'] };
    const raw = JSON.parse(readFileSync(path, 'utf8')) as CoverageSummary;
    const byPath = Object.fromEntries(
      Object.entries(raw)
        .filter(([name]) => name !== 'total')
        .map(([name, entry]) => [relative(root, name), entry]),
    );
    if (Object.keys(byPath).length === 0) return { findings: ['the coverage summary names no file'] };
    const { findings, shares } = judgeCoverage(byPath);
    return { findings: [...lostFloors(Object.keys(byPath)), ...findings], note: shares.join(', ') };
  },
};

if (import.meta.main) await runAlone(coverage);

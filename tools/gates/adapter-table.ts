import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Gate, runAlone } from '../lib/gate.ts';
import { listLines, repository, root, type Tree } from '../lib/tree.ts';
import { tablePath } from './conformance.ts';

/**
 * A new case of a suite has to be in the committed table. The gate over a run's results says so too, but only after the
 * run; this one reads the titles in the suites and answers at once.
 */
const suites = /^(?:server\/src\/ports\/[^/]+|agent\/src\/host)\/conformance(?:\/.*|-[^/]*)?\.ts$/;
/** Titles that are made of parts (`it.each`, templates) are known only when they run. */
const titles = /\bit\(\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")/g;

export function untabled(tree: Tree, table: readonly string[]): string[] {
  const known = table.map((line) => line.replace(/: (?:ok|not supported)$/, ''));
  return tree.paths
    .filter((path) => suites.test(path) && !path.endsWith('.test.ts'))
    .flatMap((path) =>
      [...tree.text(path).matchAll(titles)].map((found) => ({ path, title: unescaped(found[1] ?? found[2] ?? '') })),
    )
    .filter(({ title }) => !known.some((line) => line.endsWith(`: ${title}`) || line.endsWith(` > ${title}`)))
    .map(({ path, title }) => `${path}: no line of ${tablePath} has the case "${title}"`);
}

const unescaped = (text: string): string => text.replaceAll(/\\(.)/g, '$1');

export const adapterTable: Gate = {
  name: 'table of adapters',
  remedy: `Run the suite with each adapter, then add one line for each to ${tablePath}.`,
  fast: true,
  check: async () => {
    const table = listLines(readFileSync(join(root, tablePath), 'utf8'));
    return { findings: untabled(repository(), table), note: `${table.length} lines` };
  },
};

if (import.meta.main) await runAlone(adapterTable);

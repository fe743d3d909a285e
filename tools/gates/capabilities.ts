import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { capabilityPage, judgeStatus, shownBy, statusHeader, unknownIds } from '../lib/capability-page.ts';
import { type Gate, runAlone } from '../lib/gate.ts';
import { type Results, readResults } from '../lib/results.ts';
import { repository, root, type Tree } from '../lib/tree.ts';
import { reportPath } from '../lib/vitest.ts';

const page = 'docs/capability-matrix.md';

/** Documents that describe the product, as opposed to guides and runbooks, which describe work. */
export const claimingDocuments = (tree: Tree): string[] =>
  tree.paths.filter(
    (path) =>
      /^docs\/.*\.md$/.test(path) &&
      path !== page &&
      path !== 'docs/README.md' &&
      // Pages elsewhere may claim something as well; then they are held to it.
      (!path.slice('docs/'.length).includes('/') || statusHeader(tree.text(path)).status !== undefined),
  );

export function judgeClaims(tree: Tree, results: Results): string[] {
  const shown = shownBy(results);
  const written = tree.has(page) ? tree.text(page) : '';
  return [
    ...unknownIds(results).map((id) => `a test carries [${id}], which has no row in tools/lib/capability-rows.ts`),
    ...(written === capabilityPage(shown) ? [] : [`${page} is not what this run shows`]),
    ...claimingDocuments(tree).flatMap((path) => judgeStatus(path, tree.text(path), shown)),
  ];
}

function lastResults(): Results | undefined {
  return existsSync(reportPath('unit')) ? readResults(reportPath('unit')) : undefined;
}

/** No page claims more than a test that passed a moment ago, nor less. */
export const capabilities: Gate = {
  name: 'claims',
  remedy:
    'Run `node tools/gates/capabilities.ts --write` after `npm test`, read the diff, and correct the pages it names.',
  fast: false,
  check: async () => {
    const results = lastResults();
    if (results === undefined) return { findings: ['there is no report of a test run'] };
    return { findings: judgeClaims(repository(), results), note: `${shownBy(results).size} capabilities shown` };
  },
};

if (import.meta.main) {
  const results = lastResults();
  if (process.argv.includes('--write') && results) writeFileSync(join(root, page), capabilityPage(shownBy(results)));
  else await runAlone(capabilities);
}

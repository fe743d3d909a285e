import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAppPage } from '../lib/capabilities/app-pages.ts';
import { capabilityGroups, capabilityRows } from '../lib/capabilities/index.ts';
import { type Half, judgeIds, judgeProofs, judgeRows } from '../lib/capabilities/judge.ts';
import { capabilityPage, isShown, stateOf } from '../lib/capabilities/page.ts';
import { judgeStatus, statusHeader } from '../lib/capabilities/status.ts';
import { type Gate, runAlone } from '../lib/gate.ts';
import { type Results, readResults } from '../lib/results.ts';
import { repository, root, type Tree } from '../lib/tree.ts';
import { reportPath } from '../lib/vitest.ts';

const page = 'docs/capability-matrix.md';
const ids = 'tools/lib/capabilities/ids.txt';

/** Documents that describe the product, as opposed to guides and runbooks, which describe work. */
export const claimingDocuments = (tree: Tree): string[] =>
  tree.paths.filter(
    (path) =>
      (/^docs\/.*\.md$/.test(path) || isAppPage(path)) &&
      path !== page &&
      path !== 'docs/README.md' &&
      // Pages elsewhere may claim something as well; then they are held to it.
      (!path.slice('docs/'.length).includes('/') || statusHeader(tree.text(path)).status !== undefined),
  );

export function judgeClaims(tree: Tree, results: Results, half: Half): string[] {
  const written = tree.has(page) ? tree.text(page) : '';
  const shown = new Set(capabilityRows.filter((row) => isShown(stateOf(row, capabilityRows))).map(({ id }) => id));
  return [
    ...judgeRows(capabilityRows),
    ...judgeIds(capabilityRows, readFileSync(join(root, ids), 'utf8')),
    ...judgeProofs(capabilityRows, results, half),
    ...(written === capabilityPage(capabilityGroups) ? [] : [`${page} is not what tools/lib/capabilities says`]),
    ...claimingDocuments(tree).flatMap((path) => judgeStatus(path, tree.text(path), (id) => shown.has(id))),
  ];
}

/** No page claims more than tests that passed a moment ago in the half where they run. */
export const capabilities = (half: Half): Gate => ({
  name: 'claims',
  remedy:
    'Correct the row in tools/lib/capabilities, run `node tools/gates/capabilities.ts --write`, and correct the pages it names.',
  fast: false,
  check: async () => {
    if (!existsSync(reportPath(half))) return { findings: ['there is no report of a test run'] };
    const claimed = capabilityRows.filter((row) => isShown(stateOf(row, capabilityRows))).length;
    return {
      findings: judgeClaims(repository(), readResults(reportPath(half)), half),
      note: `${claimed} of ${capabilityRows.length} rows claimed`,
    };
  },
});

if (import.meta.main) {
  if (process.argv.includes('--write')) writeFileSync(join(root, page), capabilityPage(capabilityGroups));
  else await runAlone(capabilities(process.argv.includes('--production') ? 'production' : 'unit'));
}

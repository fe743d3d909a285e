import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { capabilityRows } from '../lib/capabilities/index.ts';
import { judgeReReview, reReviewPage } from '../lib/capabilities/re-review.ts';
import { type Gate, runAlone } from '../lib/gate.ts';
import { runProgram } from '../lib/program.ts';
import { readResults } from '../lib/results.ts';
import { repository, root } from '../lib/tree.ts';
import { reportPath } from '../lib/vitest.ts';

const page = 'docs/re-review.md';

/** The page for the next outside review says of each action what its row says. */
export const reReview: Gate = {
  name: 're-review',
  remedy: 'Run `.ci/run`, then `node tools/gates/re-review.ts --write`, and commit the page.',
  fast: true,
  check: async () => {
    const tree = repository();
    return { findings: judgeReReview(tree.has(page) ? tree.text(page) : '', capabilityRows) };
  },
};

if (import.meta.main) {
  if (process.argv.includes('--write')) {
    const halves = [reportPath('unit'), reportPath('production')].filter((path) => existsSync(path)).map(readResults);
    const { output } = await runProgram('git', ['rev-parse', '--short=12', 'HEAD']);
    const results = { tests: halves.flatMap(({ tests }) => tests), brokenFiles: [] };
    writeFileSync(join(root, page), reReviewPage(capabilityRows, { results, commit: output.trim() }));
  } else await runAlone(reReview);
}

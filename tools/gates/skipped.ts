import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Gate } from '../lib/gate.ts';
import { fullTitle, type Results } from '../lib/results.ts';
import { listLines, root } from '../lib/tree.ts';

export function judgeSkips(results: Results, allowed: readonly string[]): string[] {
  return results.tests
    .filter((test) => test.state === 'skipped')
    .map((test) => `${test.path} > ${fullTitle(test)}`)
    .filter((title) => !allowed.includes(title))
    .map((title) => `was not run: ${title}`);
}

/** A test that did not run proves nothing. The list of those that may be left out only shrinks. */
export const skipped = (results: Results): Gate => ({
  name: 'nothing left out',
  remedy: 'Run it, or remove it. tools/laws/exceptions/skipped-tests.txt takes no new lines.',
  fast: false,
  check: async () => {
    const allowed = listLines(readFileSync(join(root, 'tools/laws/exceptions/skipped-tests.txt'), 'utf8'));
    return { findings: judgeSkips(results, allowed) };
  },
});

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Gate, runAlone, verdictOf } from '../lib/gate.ts';
import { runTool } from '../lib/program.ts';
import { root } from '../lib/tree.ts';

/** Rules that need types: promises that nobody waits for, conditions that are always true, private members in brackets. */
export const oxlint: Gate = {
  name: 'typed lint',
  remedy: 'Await the promise, or hand it to someone who does. `npx oxlint --type-aware` repeats this.',
  fast: true,
  check: async () => {
    // Without its companion program oxlint would quietly leave out every typed rule.
    if (!existsSync(join(root, 'node_modules', '.bin', 'tsgolint'))) {
      return { findings: ['tsgolint is not installed; run: npm ci --ignore-scripts'] };
    }
    return verdictOf(await runTool('oxlint', ['--type-aware', '--deny-warnings', '--disable-nested-config', '.']));
  },
};

if (import.meta.main) await runAlone(oxlint);

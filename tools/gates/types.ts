import { type Gate, runAlone, verdictOf } from '../lib/gate.ts';
import { runTool } from '../lib/program.ts';

/** The whole program type-checks, and every case of `refused.ts` is still refused: an unused expectation is an error. */
export const types: Gate = {
  name: 'types',
  remedy: 'Mend the types; `npx tsc -p .` and `npx tsc -p web` repeat this.',
  fast: true,
  check: async () => {
    // The console runs in browsers, which know other things than Node: it is a program of its own.
    for (const project of ['.', 'web']) {
      const verdict = verdictOf(await runTool('tsc', ['-p', project, '--pretty', 'false']));
      if (verdict.findings.length > 0) return verdict;
    }
    return { findings: [] };
  },
};

if (import.meta.main) await runAlone(types);

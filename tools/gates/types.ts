import { type Gate, runAlone, verdictOf } from '../lib/gate.ts';
import { runTool } from '../lib/program.ts';

/** The whole program type-checks, and every case of `refused.ts` is still refused: an unused expectation is an error. */
export const types: Gate = {
  name: 'types',
  remedy: 'Mend the types; `npx tsc -p .` repeats this.',
  fast: true,
  check: async () => verdictOf(await runTool('tsc', ['-p', '.', '--pretty', 'false'])),
};

if (import.meta.main) await runAlone(types);

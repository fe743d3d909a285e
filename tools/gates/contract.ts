import { type Gate, runAlone, verdictOf } from '../lib/gate.ts';
import { runScript } from '../lib/program.ts';

/** Nothing that a client relies on is taken away. The tools that compare are part of the lockfile, so none is skipped. */
export const contract: Gate = {
  name: 'contract promises',
  remedy: 'Add beside instead of changing; what must break waits for a release, which moves api/baseline.',
  fast: false,
  check: async () => verdictOf(await runScript('tools/gates/contract/main.ts', [])),
};

if (import.meta.main) await runAlone(contract);

import { type Gate, runAlone, verdictOf } from '../lib/gate.ts';
import { runTool } from '../lib/program.ts';

/** No file that nothing reaches, no export that nobody imports, no dependency that nobody uses or declares. */
export const deadCode: Gate = {
  name: 'dead code',
  remedy: 'Remove it, or stop exporting it. `npx knip` repeats this.',
  fast: false,
  check: async () => verdictOf(await runTool('knip', ['--no-progress', '--no-config-hints'])),
};

if (import.meta.main) await runAlone(deadCode);

import { type Gate, runAlone, verdictOf } from '../lib/gate.ts';
import { runScript } from '../lib/program.ts';

/** What is emitted from the contract is committed, and equals what would be emitted now. */
export const generated: Gate = {
  name: 'generated files',
  remedy: 'Run `npm run gen`, read the diff of api/, and commit it with the change that caused it.',
  fast: true,
  check: async () => verdictOf(await runScript('tools/emit/main.ts', ['--check'])),
};

if (import.meta.main) await runAlone(generated);

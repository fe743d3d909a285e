import { type Gate, runAlone, verdictOf } from '../lib/gate.ts';
import { runTool } from '../lib/program.ts';

/** Format, lint and the walls between folders. A warning fails too: nobody reads warnings. */
export const biome: Gate = {
  name: 'format, lint and walls',
  remedy: '`npm run tidy` mends what can be mended by a machine; a wall says in its message which way round it goes.',
  fast: true,
  check: async () =>
    verdictOf(await runTool('biome', ['check', '--error-on-warnings', '--max-diagnostics=50', '--colors=off', '.'])),
};

if (import.meta.main) await runAlone(biome);

import { makeScore } from '../lib/score.ts';
import { staticGates } from './gates.ts';

/** `npm run check`: what can be known in seconds, without running anything of ours. */
const score = makeScore((text) => process.stdout.write(text), Date.now);
await score.gates(
  staticGates.filter((gate) => gate.fast),
  2,
);
process.exitCode = score.close();

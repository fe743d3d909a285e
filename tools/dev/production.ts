import { alerts } from '../gates/alerts.ts';
import { capabilities } from '../gates/capabilities.ts';
import { conformance } from '../gates/conformance.ts';
import { serverPrograms } from '../gates/server-programs.ts';
import { skipped } from '../gates/skipped.ts';
import { vulnerabilities } from '../gates/vulnerabilities.ts';
import { makeScore } from '../lib/score.ts';
import { runAllTests } from '../lib/vitest.ts';

/** The second half of `.ci/run`: what needs real servers or the world outside. */
const score = makeScore((text) => process.stdout.write(text), Date.now);

await score.gates([serverPrograms, alerts, vulnerabilities], 1);

const began = Date.now();
const run = await runAllTests('production', [], 50 * 60_000);
score.tests('vitest production', run, Date.now() - began);
// `npm test` runs on the newest PostgreSQL. What may differ on the oldest that is promised runs there as well; vitest.config.ts has the list.
const beganOldest = Date.now();
const oldest = await runAllTests('oldest', [], 15 * 60_000);
score.tests('vitest on the oldest PostgreSQL', oldest, Date.now() - beganOldest);
await score.gates(
  [skipped(oldest.results), skipped(run.results), conformance('production'), capabilities('production')],
  1,
);

process.exitCode = score.close();

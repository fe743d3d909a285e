import { capabilities } from '../gates/capabilities.ts';
import { conformance } from '../gates/conformance.ts';
import { coverage } from '../gates/coverage.ts';
import { forgetRefusals, refusals } from '../gates/refusals.ts';
import { skipped } from '../gates/skipped.ts';
import { makeScore } from '../lib/score.ts';
import { runAllTests } from '../lib/vitest.ts';
import { staticGates } from './gates.ts';

/**
 * `npm test`: every gate, then every test that needs no other service, then the gates that compare what the tests showed
 * with what the pages claim. Nothing is skipped, and a failure does not hide the ones after it.
 */
const score = makeScore((text) => process.stdout.write(text), Date.now);

score.note('gates');
await score.gates(staticGates, 2);

score.note('tests');
forgetRefusals();
const began = Date.now();
const run = await runAllTests('unit', ['--coverage', '--coverage.reportOnFailure=true'], 30 * 60_000);
score.tests('vitest', run, Date.now() - began);

score.note('what the tests showed');
await score.gates([skipped(run.results), coverage, refusals, conformance('embedded'), capabilities('unit')], 1);

process.exitCode = score.close();

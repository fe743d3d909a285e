import { root } from '../../emit/outputs.ts';
import { gates } from './gates.ts';
import { describeVerdict, passed } from './verdict.ts';

/** All gates run, also after one has failed, so that one visit shows everything that is wrong. */
for (const gate of gates) {
  const verdict = await gate(root);
  process.stdout.write(`${describeVerdict(verdict)}\n`);
  if (!passed(verdict)) process.exitCode = 1;
}

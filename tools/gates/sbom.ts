import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Gate, runAlone, verdictOf } from '../lib/gate.ts';
import { type LockedPackage, readLockfile } from '../lib/lockfile.ts';
import { runTool } from '../lib/program.ts';
import { root } from '../lib/tree.ts';

interface Component {
  readonly group?: string;
  readonly name: string;
  readonly version?: string;
  readonly components?: readonly Component[];
}

const listed = (components: readonly Component[]): string[] =>
  components.flatMap((component) => [
    `${component.group ? `${component.group}/` : ''}${component.name}@${component.version}`,
    ...listed(component.components ?? []),
  ]);

/** Locked packages that the bill of materials does not name. */
export function missingFrom(components: readonly Component[], packages: readonly LockedPackage[]): string[] {
  const known = new Set(listed(components));
  return packages.map((entry) => `${entry.name}@${entry.version}`).filter((id) => !known.has(id));
}

/** A CycloneDX bill of materials is written to dist/, and it names every locked package. */
export const sbom: Gate = {
  name: 'bill of materials',
  remedy: 'Is the lockfile in order? `npm ls` says what does not fit.',
  fast: false,
  check: async () => {
    const file = join(root, 'dist', 'sbom.json');
    mkdirSync(join(root, 'dist'), { recursive: true });
    const ran = await runTool('cyclonedx-npm', [
      '--package-lock-only',
      '--output-reproducible',
      '--output-format=JSON',
      `--output-file=${file}`,
    ]);
    if (ran.code !== 0) return verdictOf(ran);
    const { components = [] } = JSON.parse(readFileSync(file, 'utf8')) as {
      readonly components?: readonly Component[];
    };
    const { packages } = readLockfile();
    return {
      findings: missingFrom(components, packages).map((id) => `dist/sbom.json does not name ${id}`),
      note: `${packages.length} packages`,
    };
  },
};

if (import.meta.main) await runAlone(sbom);

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './tree.ts';

/** One package of the lockfile, wherever it lies in node_modules. */
export interface LockedPackage {
  readonly path: string;
  readonly name: string;
  readonly version: string;
  readonly license: string | undefined;
  readonly integrity: string | undefined;
  readonly resolved: string | undefined;
  readonly hasInstallScript: boolean;
  /** Needed only to build and test. */
  readonly isDev: boolean;
}

interface RawPackage {
  readonly name?: string;
  readonly version?: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly hasInstallScript?: boolean;
  readonly dev?: boolean;
  readonly link?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export interface Lockfile {
  readonly packages: readonly LockedPackage[];
  /** Our own packages by folder, as the lockfile remembers their manifests. */
  readonly ours: Readonly<Record<string, RawPackage>>;
}

export function parseLockfile(text: string): Lockfile {
  const raw = JSON.parse(text) as { readonly packages: Readonly<Record<string, RawPackage>> };
  const entries = Object.entries(raw.packages);
  return {
    packages: entries
      .filter(([path, entry]) => path.includes('node_modules/') && entry.link !== true)
      .map(([path, entry]) => ({
        path,
        name: entry.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
        version: entry.version ?? '',
        license: entry.license,
        integrity: entry.integrity,
        resolved: entry.resolved,
        hasInstallScript: entry.hasInstallScript === true,
        isDev: entry.dev === true,
      })),
    ours: Object.fromEntries(entries.filter(([path]) => !path.includes('node_modules/'))),
  };
}

export const readLockfile = (): Lockfile => parseLockfile(readFileSync(join(root, 'package-lock.json'), 'utf8'));

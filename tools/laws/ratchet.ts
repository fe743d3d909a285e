import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listLines, root } from '../lib/tree.ts';

/** A list of exceptions: what is excused, in so many words, and the reason. A line without a reason is refused. */
export function readList(name: string, words = 1): ReadonlyMap<string, string> {
  const text = readFileSync(join(root, 'tools/laws/exceptions', `${name}.txt`), 'utf8');
  return new Map(
    listLines(text).map((line) => {
      const parts = line.split(' ');
      if (parts.length <= words) throw new Error(`${name}.txt: "${line}" has no reason`);
      return [parts.slice(0, words).join(' '), parts.slice(words).join(' ')];
    }),
  );
}

/** Every committed version of a file that this clone knows, newest first; none where there is no history. */
export function historyOf(path: string): string[] {
  const git = (args: readonly string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    const commits = git(['log', '--format=%H', '--diff-filter=AM', '--', path]).split('\n').filter(Boolean);
    return commits.map((commit) => git(['show', `${commit}:${path}`]));
  } catch {
    // Not a clone, or not ours to read: the numbers in the file itself still hold.
    return [];
  }
}

/** `name number` a line. */
export const readCounts = (text: string): Map<string, number> =>
  new Map(
    listLines(text).map((line) => {
      const [name = '', count = ''] = line.split(/\s+/);
      return [name, Number(count)];
    }),
  );

/** Names whose number is now above the lowest it ever was. */
export function risen(now: Map<string, number>, history: readonly Map<string, number>[]): string[] {
  return [...now].flatMap(([name, count]) => {
    const lowest = Math.min(...history.flatMap((past) => past.get(name) ?? []));
    return count > lowest ? [`${name} has grown from ${lowest} to ${count}`] : [];
  });
}

/** Names whose number is now below the highest it ever was. */
export function fallen(now: Map<string, number>, history: readonly Map<string, number>[]): string[] {
  const names = new Set([...now.keys(), ...history.flatMap((past) => [...past.keys()])]);
  return [...names].flatMap((name) => {
    const highest = Math.max(...history.flatMap((past) => past.get(name) ?? []));
    const count = now.get(name) ?? 0;
    return count < highest ? [`${name} has fallen from ${highest} to ${count}`] : [];
  });
}

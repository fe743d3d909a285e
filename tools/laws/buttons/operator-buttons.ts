import type { Tree } from '../../lib/tree.ts';

/** Where the console gives the actions of the server their labels. */
const pages = ['web/src/ops/nodes/node.tsx', 'web/src/ops/nodes/slot-dialog.tsx'];
const inTable = /^ {2}([a-z_]+): (?:\{ ?(?:\n\s+)?label: '([^']+)'|\['[A-Za-z]+', '([^']+)'\])/gm;

/** The label of each action that a page offers: `node clear` for Clear. */
export function labelsOf(tree: Tree): ReadonlyMap<string, string> {
  return new Map(
    pages.flatMap((path) =>
      [...tree.text(path).matchAll(inTable)].map(
        ([, action = '', label, other]) =>
          [`${path.includes('slot') ? 'slot' : 'node'} ${action}`, label ?? other ?? ''] as const,
      ),
    ),
  );
}

/** Buttons that a browser test names and clicks: by their role, or with `press`. */
export function clickedIn(tree: Tree): ReadonlySet<string> {
  const tests = tree.paths.filter((path) => /^web\/test\/.*\.production\.test\.ts$/.test(path));
  const clicks = /(?:getByRole\('button', \{ name: |press\(page, )'([^']+)'/g;
  return new Set(tests.flatMap((path) => [...tree.text(path).matchAll(clicks)].map(([, label = '']) => label)));
}

import type { Tree } from '../../lib/tree.ts';

/** Where the console gives the actions of the server their labels. */
const pages = ['web/src/ops/nodes/node-verbs.tsx', 'web/src/ops/nodes/slot-dialog.tsx'];
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

/**
 * Buttons that a browser test clicks, as `node Clear` and `slot Clear`. Several pages have buttons of the same name, so only
 * the two functions count that click on the page of a node and on the dialog of a slot.
 */
export function clickedIn(tree: Tree): ReadonlySet<string> {
  const tests = tree.paths.filter((path) => /^web\/test\/.*\.production\.test\.ts$/.test(path));
  const clicks = /\bpress(Node|Slot)\(page, '([^']+)'/g;
  return new Set(
    tests.flatMap((path) =>
      [...tree.text(path).matchAll(clicks)].map(([, where = '', label = '']) => `${where.toLowerCase()} ${label}`),
    ),
  );
}

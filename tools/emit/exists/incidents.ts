import { frontMatter } from '../../lib/document.ts';
import type { Tree } from '../../lib/tree.ts';
import { table } from '../table.ts';

/** A guard that an incident names: a test, by its file and title. */
export interface Guard {
  readonly path: string;
  readonly file: string;
  readonly title: string;
}

export const incidentsOf = (tree: Tree): readonly string[] =>
  tree.paths.filter((path) => /^docs\/incidents\/.*\.md$/.test(path));

/** The tests that a page names, as `[file](path): "title"`, with the path from the top of the tree. */
export const guardsIn = (path: string, text: string): readonly Guard[] =>
  [...text.matchAll(/\[[^\]]+\]\((?:\.\.\/)+([^)]+\.test\.ts)\): "([^"]+)"/g)].map(([, file = '', title = '']) => ({
    ...{ path, file, title },
  }));

export function emitIncidents(tree: Tree): string {
  const rows = incidentsOf(tree).map((path) => {
    const text = tree.text(path);
    const { happened = '', rule = '' } = frontMatter(text);
    const title = /^# (.+)$/m.exec(text)?.[1] ?? '';
    return [`[${title}](../${path.replace(/^docs\//, '')})`, happened, rule, String(guardsIn(path, text).length)];
  });
  return `# Incidents

What went wrong elsewhere and could have gone wrong here, with the rule that it led to and the tests that check the rule. This product has not run for others yet,
so none of them happened to it. An incident of its own gets a page in [docs/incidents](../incidents), with its tests.

${table(['incident', 'happened', 'rule', 'tests'], rows)}
`;
}

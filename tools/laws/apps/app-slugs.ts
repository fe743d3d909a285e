import { isSource, isTestCode, type Tree } from '../../lib/tree.ts';
import { type Finding, type Law, lineAt, type Node, parse, textOf, walk } from '../law.ts';

/** The stock apps: folders of `apps/` with a manifest. */
export const stockSlugs = (tree: Tree): string[] =>
  tree.paths.flatMap((path) => /^apps\/([a-z0-9-]+)\/app\.yaml$/.exec(path)?.[1] ?? []);

/**
 * Stock apps are published as anybody's are. A program that knows the slug of one would treat it better than the app of a tenant.
 */
export const noAppSlugs: Law = {
  name: 'no-app-slugs',
  find: (tree) => {
    const slugs = stockSlugs(tree);
    if (slugs.length === 0) return [];
    const word = new RegExp(`(?:^|[^a-z0-9-])(?:${slugs.join('|')})(?:$|[^a-z0-9-])`, 'i');
    return tree.paths
      .filter((path) => /^(?:server|agent)\/src\//.test(path) && isSource(path) && !isTestCode(path))
      .filter((path) => word.test(tree.text(path)))
      .flatMap((path): Finding[] =>
        [...walk(parse(tree, path) as unknown as Node)].flatMap(({ node }) => {
          const text = textOf(node);
          if (text === undefined || !word.test(text)) return [];
          const message = `a program of ours knows no app by its slug: say it in the manifest (${text.slice(0, 40)})`;
          return [{ path, line: lineAt(tree.text(path), node.start), law: 'no-app-slugs', message }];
        }),
      );
  },
};

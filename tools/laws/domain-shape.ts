import { isSource, isTestCode, type Tree } from '../lib/tree.ts';
import { calleeName, type Finding, type Law, lineAt, type Node, parse, walk } from './law.ts';

/**
 * One shape for a domain (docs/guides/adding-a-domain.md): a reader who knows one finds the same things in the same places in
 * every other. `places` are the calls that have a place of their own; the first call of each kind in a file is reported.
 */
const places: readonly {
  readonly rule: string;
  readonly callee: string;
  readonly home: RegExp;
  readonly message: string;
}[] = [
  {
    rule: 'stores',
    callee: 'sql',
    home: /(?:^|[/-])store\.ts$/,
    message: 'statements lie in store.ts or <what>-store.ts, so that the SQL of a domain is read in one place',
  },
  {
    rule: 'routes',
    callee: 'handlers',
    home: /(?:^|[/-])routes\.ts$/,
    message: 'handlers lie in routes.ts or <what>-routes.ts',
  },
  {
    rule: 'events',
    callee: 'listener',
    home: /^on-events\.ts$/,
    message: 'what an event begins stands in on-events.ts of the domain',
  },
  {
    rule: 'sagas',
    callee: 'defineSaga',
    home: /^sagas\//,
    message: 'sagas lie in the folder sagas/ of their domain',
  },
];

const domainOf = (path: string): string | undefined => /^server\/src\/domains\/[^/]+(?=\/)/.exec(path)?.[0];
const found = (path: string, line: number, message: string): Finding => ({ path, line, law: 'domain-shape', message });

/** Each departure from the shape, with the line that would excuse it. */
export function departuresIn(tree: Tree): { readonly line: string; readonly finding: Finding }[] {
  const written = tree.paths.filter((path) => domainOf(path) && isSource(path) && !isTestCode(path));
  const misplaced = written.flatMap((path) => {
    const inDomain = path.slice((domainOf(path)?.length ?? 0) + 1);
    const wanted = places.filter(({ home }) => !home.test(inDomain));
    const text = tree.text(path);
    const calls = [...walk(parse(tree, path) as unknown as Node)].filter(({ node }) => node.type === 'CallExpression');
    return wanted.flatMap(({ rule, callee, message }) => {
      const call = calls.find(({ node }) => calleeName(node) === callee)?.node;
      return call ? [{ line: `${path} ${rule}`, finding: found(path, lineAt(text, call.start), message) }] : [];
    });
  });
  const untold = tree.paths
    .filter((path) => /^server\/src\/domains\/[^/]+\/README\.md$/.test(path))
    .filter((path) => !/\*\*Tables\*\*/.test(tree.text(path)))
    .map((path) => ({
      line: `${path} tables`,
      finding: found(path, 1, 'a domain says which tables are its own, after the word **Tables**'),
    }));
  return [...misplaced, ...untold];
}

/** `excused` has lines `path rule`. */
export const domainShape = (excused: readonly string[]): Law => ({
  name: 'domain-shape',
  find: (tree) =>
    departuresIn(tree)
      .filter(({ line }) => !excused.includes(line))
      .map(({ finding }) => finding),
});

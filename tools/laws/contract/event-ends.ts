import type { Tree } from '../../lib/tree.ts';
import { type Finding, type Law, lineAt, type Node, parse, walk } from '../law.ts';

/**
 * An event of the contract has two ends: something of the product makes it, and what the contract names as its consumer
 * listens to it. Where nothing of ours listens the contract says why (`consumers: { none: '...' }`, by its type).
 */
const name = 'events-have-both-ends';

interface DeclaredKind {
  readonly path: string;
  readonly line: number;
  /** The name of the constant, by which the product speaks of it. */
  readonly constant: string;
  readonly type: string;
  readonly isConsumed: boolean;
}

export const eventsHaveBothEnds = (withoutProducer: readonly string[]): Law => ({
  name,
  find: (tree) => {
    const kinds = declaredIn(tree);
    const { made, heard } = usesIn(tree, new Set(kinds.map(({ constant }) => constant)));
    return kinds.flatMap(({ path, line, constant, type, isConsumed }) => {
      const report = (message: string): Finding => ({ path, line, law: name, message: `${type} ${message}` });
      const isExcused = withoutProducer.includes(type);
      return [
        ...(!made.has(constant) && !isExcused ? [report('is made by nothing in server/src')] : []),
        ...(made.has(constant) && isExcused ? [report('is made now: take it off the list')] : []),
        ...(isConsumed && !heard.has(constant)
          ? [report('names a consumer, and no listener has it as its event')]
          : []),
        ...(!isConsumed && heard.has(constant)
          ? [report('has a listener, and the contract says that it has none')]
          : []),
      ];
    });
  },
});

function declaredIn(tree: Tree): DeclaredKind[] {
  return tree.paths
    .filter((path) => path.startsWith('contract/src/events/') && path.endsWith('.ts'))
    .flatMap((path) =>
      [...walk(parse(tree, path) as unknown as Node)].flatMap(({ node, parents }) => {
        if (node.type !== 'CallExpression' || (node['callee'] as Node)['name'] !== 'defineEvent') return [];
        const declarator = parents.findLast(({ type }) => type === 'VariableDeclarator');
        if (!declarator) return [];
        const fields = fieldsOf((node['arguments'] as Node[])[0]);
        return [
          {
            path,
            line: lineAt(tree.text(path), node.start),
            constant: String((declarator['id'] as Node)['name']),
            type: String(fields.get('type')?.['value']),
            isConsumed: fields.get('consumers')?.type === 'ArrayExpression',
          },
        ];
      }),
    );
}

const fieldsOf = (object: Node | undefined): Map<string, Node> =>
  new Map(
    ((object?.['properties'] ?? []) as Node[])
      .filter(({ type }) => type === 'Property')
      .map((property) => [String((property['key'] as Node)['name']), property['value'] as Node]),
  );

/**
 * A listener has the constant as its `event`, in the server or in a table of the contract that a process listens by; every other
 * use in the server, outside tests and imports, makes one.
 */
function usesIn(tree: Tree, constants: ReadonlySet<string>): Record<'made' | 'heard', ReadonlySet<string>> {
  const [made, heard] = [new Set<string>(), new Set<string>()];
  const paths = tree.paths.filter(
    (path) => (path.startsWith('server/src/') || isTable(path)) && /\.ts$/.test(path) && !isForTests(path),
  );
  for (const path of paths) {
    if (!isTable(path) && !tree.text(path).includes('@gpuaas/contract')) continue;
    for (const { node, parents } of walk(parse(tree, path) as unknown as Node)) {
      const constant = String(node['name']);
      const parent = parents.at(-1);
      if (node.type !== 'Identifier' || !constants.has(constant) || parent?.type === 'ImportSpecifier') continue;
      const isListener = parent?.type === 'Property' && (parent['key'] as Node)['name'] === 'event';
      if (isListener) heard.add(constant);
      else if (!isTable(path)) made.add(constant);
    }
  }
  return { made, heard };
}
/** The tables that say which events lead to notifications and webhooks. */
const isTable = (path: string) => path.startsWith('contract/src/notifications/');
const isForTests = (path: string) => /\.test\.ts$|\/testing(?:\.ts|\/)|conformance\.ts$/.test(path);

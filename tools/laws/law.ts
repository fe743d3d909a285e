import { type Program, parseSync } from 'oxc-parser';
import { isSource, isSourceOrPage, type Tree } from '../lib/tree.ts';

/** A law is a sentence about the tree that a program can check. */
export interface Law {
  readonly name: string;
  find(tree: Tree): Finding[];
}
export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly law: string;
  readonly message: string;
}

export const showFindings = (findings: readonly Finding[]): string[] =>
  findings.map(({ path, line, law, message }) => `${path}:${line} ${law}: ${message}`);

/** Any node of the syntax tree, seen loosely: laws look at a few fields and must survive every other shape. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

export const literal = (value: unknown): unknown =>
  isNode(value) && value.type === 'Literal' ? value['value'] : undefined;

/** The texts of a template between its holes. */
export const templateText = (node: Node): string =>
  (node['quasis'] as readonly Node[]).map((part) => (part['value'] as { readonly raw: string }).raw).join(' ');

export const textOf = (node: unknown): string | undefined => {
  if (!isNode(node)) return undefined;
  if (node.type === 'TemplateLiteral') return templateText(node);
  const value = literal(node);
  return typeof value === 'string' ? value : undefined;
};

/** Parsed files are kept: several laws read the same ones. */
const programs = new WeakMap<Tree, Map<string, Program>>();

export function parse(tree: Tree, path: string): Program {
  const kept = programs.get(tree) ?? new Map<string, Program>();
  programs.set(tree, kept);
  const known = kept.get(path);
  if (known) return known;
  const parsed = parseSync(path, tree.text(path));
  if (parsed.errors.length > 0) throw new Error(`${path} does not parse: ${parsed.errors[0]?.message}`);
  kept.set(path, parsed.program);
  return parsed.program;
}

/** Every node of a file, outer ones first, with the nodes around it. */
export function* walk(node: Node, parents: readonly Node[] = []): Generator<{ node: Node; parents: readonly Node[] }> {
  yield { node, parents };
  const inside = [...parents, node];
  for (const value of Object.values(node)) {
    if (Array.isArray(value)) {
      for (const item of value) if (isNode(item)) yield* walk(item, inside);
    } else if (isNode(value)) {
      yield* walk(value, inside);
    }
  }
}

export const lineAt = (text: string, offset: number): number => text.slice(0, offset).split('\n').length;

/** A law about single nodes of source files. `look` answers with a message, or with nothing when all is well. */
export function sourceLaw(spec: {
  readonly name: string;
  readonly applies?: (path: string) => boolean;
  /** Whether it reads pages (`.tsx`) as well. */
  readonly pages?: true;
  readonly look: (node: Node, parents: readonly Node[], text: string, path: string) => string | undefined;
}): Law {
  return {
    name: spec.name,
    find: (tree) =>
      tree.paths
        .filter((path) => (spec.pages ? isSourceOrPage : isSource)(path) && (spec.applies?.(path) ?? true))
        .flatMap((path) => {
          const text = tree.text(path);
          const findings: Finding[] = [];
          for (const { node, parents } of walk(parse(tree, path) as unknown as Node)) {
            const message = spec.look(node, parents, text, path);
            if (message) findings.push({ path, line: lineAt(text, node.start), law: spec.name, message });
          }
          return findings;
        }),
  };
}

/** The name of what is called: `exec`, `Math.random`, `db.write`. */
export function calleeName(node: Node): string | undefined {
  const callee = node['callee'];
  if (!isNode(callee)) return undefined;
  return dottedName(callee);
}

export function dottedName(node: Node): string | undefined {
  if (node.type === 'Identifier') return String(node['name']);
  if (node.type !== 'MemberExpression' || node['computed'] === true) return undefined;
  const [object, property] = [node['object'], node['property']];
  if (!isNode(object) || !isNode(property)) return undefined;
  const left = dottedName(object);
  return left === undefined ? undefined : `${left}.${String(property['name'])}`;
}

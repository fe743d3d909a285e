import { isTestCode } from '../lib/tree.ts';
import { type Law, type Node, sourceLaw } from './law.ts';

/**
 * A library is used through what it documents. Its inside may change in any release, without a word and without a failing
 * type. The linter refuses the two other ways in: `any`, and brackets around the name of a private member.
 */
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;

/** Folders of a package that hold its build or its inside. A documented entry is named after what it offers. */
const inside = /^(?:internals?|private|dist|lib|src|build|out|esm|cjs|node_modules|_.*)$/;

/** `@scope/name/internal/queue` is `['internal', 'queue']`. Our own packages and Node's have no inside here. */
const pathInPackage = (specifier: string): readonly string[] => {
  if (/^(?:node:|@gpuaas\/)/.test(specifier)) return [];
  const parts = specifier.split('/');
  if (specifier.startsWith('.')) return parts.includes('node_modules') ? ['node_modules'] : [];
  return parts.slice(specifier.startsWith('@') ? 2 : 1);
};

const specifierOf = (node: Node): string | undefined => {
  const isImport = ['ImportDeclaration', 'ExportNamedDeclaration', 'ExportAllDeclaration', 'ImportExpression'];
  const source = isImport.includes(node.type) ? node['source'] : undefined;
  return isNode(source) && typeof source['value'] === 'string' ? source['value'] : undefined;
};

/** Names that a file imports from packages: what is assigned to their members changes the library for everybody. */
function importedNames(program: Node): ReadonlySet<string> {
  const statements = program['body'] as readonly Node[];
  return new Set(
    statements
      .filter((statement) => statement.type === 'ImportDeclaration')
      .filter((statement) => !/^\.{1,2}\//.test(specifierOf(statement) ?? '.'))
      .flatMap((statement) => statement['specifiers'] as readonly Node[])
      .flatMap(({ local }) => (isNode(local) ? [String(local['name'])] : [])),
  );
}

/** The name at the beginning of `a.b.c`. */
const firstName = (node: unknown): string | undefined => {
  if (!isNode(node)) return undefined;
  return node.type === 'MemberExpression' ? firstName(node['object']) : String(node['name'] ?? '');
};

export const noLibraryInternals: Law = sourceLaw({
  name: 'no-library-internals',
  pages: true,
  applies: (path) => !isTestCode(path),
  look: (node, parents) => {
    const parts = pathInPackage(specifierOf(node) ?? '');
    if (parts.some((part) => inside.test(part))) {
      return 'this is the inside of a package: use what it documents, or do without the package';
    }
    const target = node.type === 'AssignmentExpression' ? node['left'] : undefined;
    const isMember = isNode(target) && target.type === 'MemberExpression';
    if (isMember && importedNames(parents[0] ?? node).has(firstName(target) ?? '')) {
      return 'a library is not changed from outside: wrap it, or do without it';
    }
    return undefined;
  },
});

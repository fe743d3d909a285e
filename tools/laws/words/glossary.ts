import type { Tree } from '../../lib/tree.ts';

/** What users of the product read: a field or path of the API, a flag of the command line, a label of the console. */
export interface PublicName {
  readonly kind: 'field' | 'path' | 'flag' | 'label';
  readonly name: string;
}

const cellsOf = (line: string): string[] => (line.startsWith('|') ? line.split('|').slice(1, -1) : []);

const rowsOf = (glossary: string): string[][] =>
  glossary
    .split('\n')
    .map(cellsOf)
    .filter((cells) => cells.length === 3);
/** The words that the glossary explains. */
export const wordsUsed = (glossary: string): ReadonlySet<string> =>
  new Set(rowsOf(glossary).flatMap(([word = '']) => word.split(',').map((each) => plain(each))));

/** The words that the glossary does not use, each with the word that it uses. What the glossary also explains is a word of its own. */
export function wordsNotUsed(glossary: string): ReadonlyMap<string, string> {
  const rows = rowsOf(glossary);
  const own = wordsUsed(glossary);
  const unused = rows.flatMap(([word = '', , not = '']) =>
    not.split(',').map((each) => [plain(each), word.trim()] as const),
  );
  return new Map(unused.filter(([word]) => word !== '' && word !== 'not' && !own.has(word)));
}
const plain = (cell: string): string =>
  cell
    .replaceAll(/\([^)]*\)/g, '')
    .replaceAll(/[^a-z]+/gi, ' ')
    .trim()
    .toLowerCase();

/** Names that hold a word of the last column, in the singular or the plural. `service account` is a word, and no `account`. */
export function misnamed(names: readonly PublicName[], glossary: string): string[] {
  const unused = wordsNotUsed(glossary);
  const phrases = [...wordsUsed(glossary)].filter((word) => word.includes(' '));
  const found = names.flatMap(({ kind, name }) => {
    const words = phrases.reduce((left, phrase) => left.replace(phrase, ''), ` ${plain(name)} `);
    return [...unused]
      .filter(([word]) => words.includes(` ${word} `) || words.includes(` ${word}s `))
      .map(() => keyOf({ kind, name }));
  });
  return [...new Set(found)].sort();
}
export const keyOf = ({ kind, name }: PublicName): string => `${kind}:${name.replaceAll(' ', '_')}`;

interface Schema {
  readonly [key: string]: unknown;
}
function fieldsIn(value: unknown, into: Set<string>): void {
  if (Array.isArray(value)) for (const each of value) fieldsIn(each, into);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  const schema = value as Schema;
  const properties = schema['properties'];
  if (typeof properties === 'object' && properties !== null) for (const key of Object.keys(properties)) into.add(key);
  if (typeof schema['in'] === 'string' && typeof schema['name'] === 'string') into.add(schema['name']);
  for (const each of Object.values(schema)) fieldsIn(each, into);
}

const labels = /\b(?:label|title|verb|head)(?:=|: )(["'])([A-Z][^"'\n]{1,60})\1/g;

export function publicNames(tree: Tree): PublicName[] {
  const document = JSON.parse(tree.text('api/openapi.json')) as { readonly paths: Readonly<Record<string, unknown>> };
  const fields = new Set<string>();
  fieldsIn(document, fields);
  const segments = new Set(
    Object.keys(document.paths).flatMap((path) => path.split('/').filter((part) => /^[a-z]/.test(part))),
  );
  const flags = new Set(tree.text('cli/bin/help.json').match(/--[a-z][a-z-]+/g) ?? []);
  const pages = tree.paths.filter((path) => /^web\/src\/.*\.tsx?$/.test(path) && !/\.test\./.test(path));
  const shown = new Set(
    pages.flatMap((path) => [...tree.text(path).matchAll(labels)].map(([, , label = '']) => label)),
  );
  const of = (kind: PublicName['kind'], names: Iterable<string>) => [...names].map((name) => ({ kind, name }));
  return [...of('field', fields), ...of('path', segments), ...of('flag', flags), ...of('label', shown)];
}

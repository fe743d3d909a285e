import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

export interface Finding {
  readonly file: string;
  readonly statement: string;
  readonly table: string;
}

/** The statements of a source text: `sql('name', 'text')` with any quotes. */
export function statementsIn(source: string): { name: string; text: string }[] {
  const pattern = /\bsql\(\s*'([^']+)',\s*(?:'((?:[^'\\]|\\.)*)'|`([^`]*)`)\s*,?\s*\)/g;
  return [...source.matchAll(pattern)].map((match) => ({ name: match[1] ?? '', text: match[2] ?? match[3] ?? '' }));
}

interface Reference {
  readonly table: string;
  /** The name by which the statement speaks of it: its alias, or the table itself. */
  readonly alias: string;
}
const keywords =
  'set|where|on|join|left|right|inner|cross|order|group|limit|for|using|natural|returning|union|offset|as';
const referencePattern = new RegExp(
  `\\b(?:from|join|update)\\s+(?:only\\s+)?([a-z_]+)(?:\\s+(?:as\\s+)?(?!(?:${keywords})\\b)([a-z_]+))?`,
  'gi',
);
/** `from a x, b` and `using a, b` name a table after each comma, at the depth of the list. */
function listedAfterCommas(text: string): string {
  const keyword = /\b(?:from|using)\s/gi;
  const extra = [...text.matchAll(keyword)].flatMap(({ 0: word, index }) => {
    const items = listItems(text.slice(index + word.length));
    return word.trim().toLowerCase() === 'using' ? items : items.slice(1);
  });
  return extra
    .map((item) => item.trim())
    .filter((item) => /^(?:public\.)?[a-z_]+(?:\s|$)/i.test(item))
    .map((item) => `from ${item}`)
    .join(' ;\n');
}
/** The items of a list up to the next clause; parts in brackets belong to their item and are not read here. */
function listItems(text: string): string[] {
  let depth = 0;
  const items = [''];
  for (const [part] of text.matchAll(/[a-z_]+|[\s\S]/gi)) {
    if (part === '(') depth += 1;
    if (part === ')') depth -= 1;
    if (
      depth < 0 ||
      (depth === 0 &&
        /^(?:where|join|left|right|inner|cross|on|order|group|limit|for|union|returning|set)$/i.test(part))
    )
      break;
    if (depth > 0) continue;
    if (part === ',') items.push('');
    else items[items.length - 1] += part;
  }
  return items;
}
const referencesIn = (text: string, tables: readonly string[]): Reference[] =>
  [...`${text} ;\n${listedAfterCommas(text)}`.matchAll(referencePattern)]
    .map(([, table = '', alias]) => ({ table, alias: alias ?? table }))
    .filter(({ table }) => tables.includes(table));

/** The names that the statement binds to the caller's tenant, directly or by equality with one that is bound. */
function boundIn(text: string, references: readonly Reference[]): Set<string> {
  const bound = new Set([...text.matchAll(/\b(?:mine|is_me)\(([a-z_]+)\.[a-z_]+\)/gi)].map(([, alias = '']) => alias));
  // Without a prefix it means the tables that have no alias.
  if (/\b(?:mine|is_me)\([a-z_]+\)/i.test(text)) {
    for (const { table, alias } of references) if (alias === table) bound.add(alias);
  }
  const organizations = new Set(references.filter(({ table }) => table === 'organizations').map(({ alias }) => alias));
  const isTenant = (alias: string, column: string) =>
    column === 'organization_id' || (column === 'id' && organizations.has(alias));
  const ties = [...text.matchAll(/\b([a-z_]+)\.([a-z_]+) (?:=|is not distinct from) ([a-z_]+)\.([a-z_]+)\b/gi)].filter(
    ([, one = '', oneColumn = '', other = '', otherColumn = '']) =>
      isTenant(one, oneColumn) && isTenant(other, otherColumn),
  );
  for (let before = -1; before !== bound.size; ) {
    before = bound.size;
    for (const [, one = '', , other = ''] of ties) {
      if (bound.has(one) || bound.has(other)) bound.add(one).add(other);
    }
  }
  return bound;
}

/** Each tenant table of a statement that the statement does not bind to the caller's tenant. */
export function withoutPredicate(
  source: string,
  file: string,
  tables: readonly string[],
  excused: ReadonlySet<string>,
): Finding[] {
  return statementsIn(source)
    .filter(({ name }) => !excused.has(name))
    .flatMap(({ name, text }) => {
      const references = referencesIn(text, tables);
      const bound = boundIn(text, references);
      const unbound = references.filter(({ alias }) => !bound.has(alias)).map(({ table }) => table);
      return [...new Set(unbound)].map((table) => ({ file, statement: name, table }));
    });
}

export function domainSources(root: string): { file: string; source: string }[] {
  const folder = join(root, 'server/src/domains');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => join(folder, name))
    .map((path) => ({ file: relative(root, path), source: readFileSync(path, 'utf8') }));
}

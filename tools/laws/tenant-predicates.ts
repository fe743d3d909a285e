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

/** Statements that read or change a tenant's table and do not say whose rows they mean. */
export function withoutPredicate(
  source: string,
  file: string,
  tables: readonly string[],
  excused: ReadonlySet<string>,
): Finding[] {
  return statementsIn(source).flatMap(({ name, text }) =>
    tables
      .filter((table) => new RegExp(`\\b(?:from|join|update|delete\\s+from)\\s+${table}\\b`, 'i').test(text))
      .filter(() => !/\b(?:mine|is_me)\(/.test(text) && !excused.has(name))
      .map((table) => ({ file, statement: name, table })),
  );
}

export function domainSources(root: string): { file: string; source: string }[] {
  const folder = join(root, 'server/src/domains');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => join(folder, name))
    .map((path) => ({ file: relative(root, path), source: readFileSync(path, 'utf8') }));
}

/**
 * What the text of a function leaves for PostgreSQL to look up along the search_path of the caller: tables, types,
 * functions and operators without their schema. A function with the rights of its owner must leave nothing, or a caller
 * could slip something of theirs in its place.
 *
 * It reads words, not grammar, and errs on the strict side: what it does not know to be harmless, it names.
 */
export function unplacedNames(source: string): string[] {
  const text = source
    .replaceAll(/--[^\n]*/g, ' ')
    .replaceAll(/'(?:[^']|'')*'/g, "''")
    .toLowerCase();
  const [, declared = ''] = /^\s*declare\b([\s\S]*?)\bbegin\b/.exec(text) ?? [];
  const bare = text
    .replaceAll(/\boperator\s*\(\s*pg_catalog\.[^\s)]+\s*\)/g, ' ')
    .replaceAll(/:=|::/g, (sign) => (sign === '::' ? ' cast_to ' : ' '));
  const found = [
    ...names(bare, /(?<!["\w.])(?<!\bas\s)([a-z_]\w*)\s*\(/g).filter((word) => !syntax.has(word)),
    ...names(
      bare,
      /\b(?:cast_to|from(?! rows from\b)|join|into|update|table|using)\s+(?!pg_catalog\.|public\.)([a-z_"]\w*)/g,
    ),
    ...names(declared, /\b\w+\s+(?:constant\s+)?(?!pg_catalog\.|public\.)([a-z_]\w*)[^;]*;/g),
    ...names(bare, /([-+*/<>=~!@#%^&|`?]+)/g),
    ...names(bare, /\b(distinct\s+from|nullif|in|between|like|ilike|similar|any|some|case)\b/g),
  ];
  return [...new Set(found)].sort();
}

/** Words that may stand before a parenthesis and are no functions. */
const syntax = new Set([
  'values',
  'from',
  'and',
  'or',
  'not',
  'if',
  'elsif',
  'exists',
  'coalesce',
  'returning',
  'conflict',
]);

const names = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, name = '']) => name.replaceAll(/\s+/g, ' '));

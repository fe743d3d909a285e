import { escapeHtml } from '../../server/src/kernel/html.ts';

/**
 * Colours for code: comments, strings, names and numbers. It knows no grammar; text that it does not recognise stays as
 * it is.
 */
const words = {
  typescript:
    'import|export|from|const|let|await|async|for|of|if|else|return|new|function|type|interface|throw|try|catch',
  python: 'import|from|with|as|for|in|if|else|elif|return|def|class|async|await|None|True|False|print|raise|try|except',
} as const;

type Rule = readonly [kind: string, pattern: string];
const strings = `"(?:[^"\\\\\\n]|\\\\.)*"|'(?:[^'\\\\\\n]|\\\\.)*'`;
const hash: Rule = ['note', '(?:^|(?<=\\s))#[^\\n]*'];
const quoted: Rule = ['text', strings];
const numbers: Rule = ['number', '\\b\\d[\\d_.]*\\b'];
const shell: readonly Rule[] = [
  hash,
  quoted,
  ['name', '\\$\\{?\\w+\\}?'],
  ['word', '(?:^|(?<=\\n|\\| |&& |\\$\\())[a-z][\\w-]*(?= |$)'],
  ['flag', '(?<=\\s)--?[a-zA-Z][\\w-]*'],
];
const rules: Readonly<Record<string, readonly Rule[]>> = {
  sh: shell,
  bash: shell,
  json: [['name', '"(?:[^"\\\\\\n]|\\\\.)*"(?=\\s*:)'], quoted, numbers, ['word', '\\b(?:true|false|null)\\b']],
  typescript: [
    ['note', '//[^\\n]*'],
    ['text', `${strings}|\`[^\`]*\``],
    ['word', `\\b(?:${words.typescript})\\b`],
    numbers,
  ],
  python: [hash, quoted, ['word', `\\b(?:${words.python})\\b`], numbers],
  yaml: [hash, quoted, ['name', '(?<=^|\\n) *-? *[\\w.-]+(?=:)']],
  sql: [
    ['note', '--[^\\n]*'],
    quoted,
    ['word', '\\b(?:select|from|where|insert|update|set|group by|order by|and|or|desc)\\b'],
  ],
};
const also: Readonly<Record<string, string>> = { ts: 'typescript', py: 'python', yml: 'yaml', bash: 'bash' };

export function highlight(text: string, language: string): string {
  const known = rules[also[language] ?? language];
  if (!known) return escapeHtml(text);
  const pattern = new RegExp(known.map(([kind, source]) => `(?<${kind}>${source})`).join('|'), 'gm');
  let [out, at] = ['', 0];
  for (const match of text.matchAll(pattern)) {
    const [kind] = Object.entries(match.groups ?? {}).find(([, found]) => found !== undefined) ?? [];
    out += escapeHtml(text.slice(at, match.index));
    out += `<span class="c-${kind}">${escapeHtml(match[0])}</span>`;
    at = match.index + match[0].length;
  }
  return out + escapeHtml(text.slice(at));
}

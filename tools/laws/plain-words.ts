import { parseSync } from 'oxc-parser';
import { isCanary, isSourceOrPage, isTestCode, type Tree } from '../lib/tree.ts';
import { type Finding, type Law, lineAt, type Node, parse, walk } from './law.ts';

/**
 * Words that hide who acts and when, and second names for one thing. The law reads comments, texts in the source and pages;
 * names in the code are left alone. Test code is not read, because its titles are named by the capability matrix.
 */
const banned: Readonly<Record<string, string>> = {
  whoever: 'name the caller, the process or the role',
  somebody: 'name the person, the process or the role',
  told: 'say which message or event reaches which reader',
  lately: 'say since when',
  catalogue: 'the glossary says catalog',
};
const pattern = new RegExp(`\\b(?:${Object.keys(banned).join('|')})\\b`, 'gi');

/** Emitted files follow their sources. Migrations are history. Three pages name the words in order to forbid them. */
const unread = [
  /^(?:api|sdk|db)\//,
  /(?:^|\/)generated\//,
  /^docs\/(?:reference\/|capability-matrix\.md|re-review\.md|compensation\.md|proof\.md|glossary\.md)/,
  /^STYLE\.md$/,
  /^tools\/laws\/plain-words\.ts$/,
  // Rows of the capability matrix repeat titles of tests.
  /^tools\/lib\/capabilities\//,
];
const isRead = (path: string): boolean =>
  !isCanary(path) &&
  !isTestCode(path) &&
  !/\/test(?:ing)?\/|\.test\.tsx?$/.test(path) &&
  !unread.some((part) => part.test(path));

interface Piece {
  readonly start: number;
  readonly text: string;
}

/** What people read of a file: comments and texts of source, the whole of a page or a list of alerts. */
function piecesOf(tree: Tree, path: string): readonly Piece[] {
  const text = tree.text(path);
  if (/\.(?:md|ya?ml)$/.test(path)) return [{ start: 0, text }];
  if (!isSourceOrPage(path)) return [];
  const { comments } = parseSync(path, text);
  const pieces: Piece[] = comments.map(({ start, value }) => ({ start, text: value }));
  for (const { node } of walk(parse(tree, path) as unknown as Node)) {
    const isText = node.type === 'Literal' && typeof node['value'] === 'string';
    if (isText || node.type === 'TemplateElement' || node.type === 'JSXText') {
      pieces.push({ start: node.start, text: text.slice(node.start, node.end) });
    }
  }
  return pieces;
}

const wordsOf = (tree: Tree, path: string): Finding[] =>
  piecesOf(tree, path).flatMap(({ start, text }) =>
    [...text.matchAll(pattern)].map(({ 0: word, index }) => ({
      path,
      line: lineAt(tree.text(path), start + index),
      law: 'plain-words',
      message: `"${word}": ${banned[word.toLowerCase()]}`,
    })),
  );

const topOf = (path: string): string => (path.includes('/') ? (path.split('/')[0] ?? '') : 'top');

/** A folder may keep as many of the words as counts.txt says under `plain-words-<folder>`; the numbers only shrink. */
export const plainWords = (counts: ReadonlyMap<string, number>): Law => ({
  name: 'plain-words',
  find: (tree) => {
    const byTop = Map.groupBy(
      tree.paths.filter(isRead).flatMap((path) => wordsOf(tree, path)),
      ({ path }) => topOf(path),
    );
    return [...byTop].flatMap(([top, found]) => (found.length > (counts.get(`plain-words-${top}`) ?? 0) ? found : []));
  },
});

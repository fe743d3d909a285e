/** Search over the pages, in the browser, with an index that the site brings along. */

/** One thing to find; short names, since there are a thousand of them. */
export interface Entry {
  /** The address, with the anchor. */
  readonly u: string;
  /** The title of the page, the heading, and the words below it. */
  readonly p: string;
  readonly h: string;
  readonly t: string;
}
export interface Find {
  readonly entry: Entry;
  /** A piece of its text around the first word that was found. */
  readonly excerpt: string;
}

const most = 24;
const excerptLength = 140;

export const wordsOf = (query: string): string[] =>
  query
    .toLowerCase()
    .split(/[^\p{L}\p{N}_]+/u)
    .filter((word) => word !== '');

/**
 * The best matches first. Every word must occur: in the heading, in the title of the page, or in the text. Where the words
 * occur decides before how often they do: a heading that is the query, then one that has all words of it, then a page whose
 * title and heading have them together, then texts.
 */
export function find(entries: readonly Entry[], query: string): Find[] {
  const words = wordsOf(query);
  if (words.length === 0) return [];
  return entries
    .flatMap((entry) => {
      const score = scoreOf(entry, words);
      return score > 0 ? [{ entry, score }] : [];
    })
    .sort((a, b) => b.score - a.score)
    .slice(0, most)
    .map(({ entry }) => ({ entry, excerpt: excerptOf(entry.t, words) }));
}

/** Further apart than the points of all words together. */
const places = { isHeading: 4_000, inHeading: 3_000, inHeads: 2_000, inText: 1_000 } as const;

function scoreOf(entry: Entry, words: readonly string[]): number {
  const heading = (entry.h === '' ? entry.p : entry.h).toLowerCase();
  const page = entry.p.toLowerCase();
  const text = entry.t.toLowerCase();
  let sum = 0;
  for (const word of words) {
    const score = matchOf(heading, word) * 20 + (beginsAWord(page, word) ? 12 : 0) + (matchOf(text, word) * 5) / 2;
    if (score === 0) return 0;
    sum += score;
  }
  const phrase = words.join(' ');
  // A command is found as it is typed: its words stand together.
  if (spaced(heading).startsWith(phrase)) sum += 60;
  else if (spaced(text).includes(phrase)) sum += words.length > 1 ? 30 : 0;
  // A page ranks above its sections, and a short heading above a long one.
  return placeOf(heading, page, words) + sum + (entry.h === '' ? 6 : 0) - heading.length / 100;
}

function placeOf(heading: string, page: string, words: readonly string[]): number {
  if (spaced(heading) === words.join(' ')) return places.isHeading;
  if (words.every((word) => beginsAWord(heading, word))) return places.inHeading;
  if (words.every((word) => beginsAWord(heading, word) || beginsAWord(page, word))) return places.inHeads;
  return places.inText;
}

/** `gpuaas key add --name` in the words that a query has. */
const spaced = (text: string): string => wordsOf(text).join(' ');

/** 2 for a word that begins so, 1 for one that has it somewhere. */
const matchOf = (text: string, word: string): number => (beginsAWord(text, word) ? 2 : text.includes(word) ? 1 : 0);

function beginsAWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (at === 0 || /[^\p{L}\p{N}]/u.test(text[at - 1] ?? ' ')) return true;
  }
  return false;
}

function excerptOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const at = Math.max(0, ...words.map((word) => lower.indexOf(word)));
  const from = Math.max(0, at - 40);
  const begin = from === 0 ? 0 : text.indexOf(' ', from) + 1;
  const piece = text.slice(begin, begin + excerptLength);
  return `${begin > 0 ? '… ' : ''}${piece}${begin + excerptLength < text.length ? ' …' : ''}`;
}

/** The text in pieces; every second piece is a matched word. */
export function markWords(text: string, query: string): string[] {
  const words = wordsOf(query).map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return words.length === 0 ? [text] : text.split(new RegExp(`(${words.join('|')})`, 'giu'));
}

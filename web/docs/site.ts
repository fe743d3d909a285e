import { posix } from 'node:path';
import { html } from '../../server/src/edge/oidc/html.ts';
import type { Entry } from '../src/docs/find.ts';
import { type ApiDescription, makeApiPages } from './api-pages.ts';
import { addressOf, type Book, type Leaf, makeBook, type Source, standingOf } from './book.ts';
import { type Assets, layOut, raw, type Sheet } from './layout.ts';
import { type Rendered, renderMarkdown, type Target } from './markdown.ts';

/**
 * The whole site from the whole tree: pages, their Markdown twins, what search looks through, and the page for
 * addresses that lead nowhere. Pure, so that a test can show it a tree of three files.
 */
export interface Site {
  /** Files by their name below /docs. */
  readonly files: ReadonlyMap<string, string>;
  /** Links of pages to pages that are not there; empty, or the build fails. */
  readonly dead: readonly string[];
}
export function makeSite(given: readonly Source[], api: ApiDescription, assets: Assets): Site {
  const book = makeBook(given);
  const known = new Set(book.sources.keys());
  const apiPages = makeApiPages(api);
  const sections = withApi(book, apiPages.leaves);
  const order = sections.flatMap(({ name, leaves }) => leaves.map((leaf) => ({ ...leaf, section: name })));
  const files = new Map<string, string>();
  const entries: Entry[] = [];
  const anchors = new Map<string, Set<string>>();
  const links: { from: string; href: string }[] = [];

  const put = (sheet: Sheet): void => {
    const at = order.findIndex(({ url }) => url === sheet.url);
    const around = at < 0 ? {} : { before: order[at - 1], after: order[at + 1], section: order[at]?.section };
    files.set(fileOf(sheet.url), layOut({ ...around, ...sheet }, sections, assets));
    anchors.set(sheet.url, new Set(sheet.headings.map(({ id }) => id)));
  };

  for (const source of book.sources.values()) {
    const url = addressOf(source.path);
    const page = renderMarkdown(source.text, (href) => {
      const target = resolveLink(source.path, href, known);
      if ('href' in target) links.push({ from: source.path, href: target.href });
      return target;
    });
    put({
      url,
      title: page.title,
      body: raw(page.html),
      headings: page.headings,
      standing: standingOf(source.text),
      path: source.path,
    });
    files.set(`${fileOf(url).replace(/\.html$/, '')}.md`, source.text);
    entries.push(...entriesOf(url, page));
  }
  for (const { sheet, entries: own } of apiPages.pages) {
    put(sheet);
    entries.push(...own);
  }
  files.set('404.html', layOut(notFound, sections, assets));
  files.set('search.json', JSON.stringify(entries));
  return { files, dead: links.flatMap(({ from, href }) => (isThere(href, anchors) ? [] : [`${from}: ${href}`])) };
}

/** The API stands behind the reference, where people look for it. */
function withApi(book: Book, leaves: readonly Leaf[]) {
  const at = book.sections.findIndex(({ name }) => name === 'Reference');
  const place = at < 0 ? book.sections.length : at + 1;
  return [...book.sections.slice(0, place), { name: 'API', leaves }, ...book.sections.slice(place)];
}

const fileOf = (url: string): string => (url === '/docs' ? 'index.html' : `${url.slice('/docs/'.length)}.html`);

function resolveLink(from: string, href: string, known: ReadonlySet<string>): Target {
  if (/^(?:https?:|mailto:)/.test(href) || href.startsWith('#')) return { href };
  const [file = '', anchor] = href.split('#');
  const aim = posix.join(posix.dirname(from), file).replace(/\/$/, '');
  const page = [aim, `${aim}/README.md`].find((path) => path.endsWith('.md') && known.has(path));
  if (page === undefined) return { file: aim };
  return { href: `${addressOf(page)}${anchor === undefined ? '' : `#${anchor}`}` };
}

function isThere(href: string, anchors: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  if (!href.startsWith('/docs')) return true;
  const [url = '', anchor] = href.split('#');
  const known = anchors.get(url);
  return known !== undefined && (anchor === undefined || known.has(anchor));
}

const entriesOf = (url: string, { title, passages }: Rendered): Entry[] =>
  passages.map(({ heading, id, text }) => ({ u: id === '' ? url : `${url}#${id}`, p: title, h: heading, t: text }));

const notFound: Sheet = {
  url: '/docs/404',
  title: 'There is no such page',
  headings: [],
  body: html`<p>The address may be old, or have a slip in it. Search with <kbd>/</kbd>, or begin at the <a href="/docs">overview</a>.</p>`,
};

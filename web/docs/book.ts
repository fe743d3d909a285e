import { posix } from 'node:path';
import { frontMatter, withoutFrontMatter } from '../../tools/lib/document.ts';

/**
 * Which files of the repository are pages, at which address, and in which order. The order is that of the index,
 * docs/README.md: its headings are the sections and its links the pages. Pages that the index does not name are found
 * by their folder, so a new runbook or RFD appears by itself.
 */
export interface Source {
  /** The path in the repository. */
  readonly path: string;
  readonly text: string;
}
export interface Leaf {
  readonly path: string;
  readonly url: string;
  /** The name in the navigation. */
  readonly label: string;
}
export interface Section {
  readonly name: string;
  readonly leaves: readonly Leaf[];
}
export interface Book {
  readonly sources: ReadonlyMap<string, Source>;
  readonly sections: readonly Section[];
  /** Pages that are reached by links alone, such as the notes beside the code. */
  readonly loose: readonly Leaf[];
}

const index = 'docs/README.md';
/** Folders whose pages form a section of their own. */
const shelves: readonly { readonly name: string; readonly folder: string }[] = [
  { name: 'Runbooks', folder: 'docs/runbooks/' },
  { name: 'State machines', folder: 'api/machines/' },
  { name: 'Decisions', folder: 'docs/rfd/' },
];

/** Notes about test programs and test data are not pages. */
export const isPage = (path: string): boolean =>
  path.endsWith('.md') &&
  (/^(?:docs|api\/machines)\//.test(path) || /(?:^|\/)(?:README|CONTRIBUTING|STYLE)\.md$/.test(path));

/** `docs/guides/launch.md` is `/docs/guides/launch`; what lies elsewhere in the tree has an address of its own. */
export function addressOf(path: string): string {
  if (path === index) return '/docs';
  if (path === 'README.md') return '/docs/project/readme';
  const bare = path.replace(/\/README\.md$/, '').replace(/\.md$/, '');
  if (bare.startsWith('docs/')) return `/${bare}`;
  if (bare.startsWith('api/machines/')) return `/docs/machines/${bare.slice('api/machines/'.length)}`;
  if (!bare.includes('/') && path.endsWith(`${bare}.md`)) return `/docs/project/${bare.toLowerCase()}`;
  return `/docs/tree/${bare}`;
}

export const titleOf = (text: string): string =>
  (/^# (.+)$/m.exec(withoutFrontMatter(text))?.[1] ?? 'Untitled').replaceAll('`', '');

const leafOf = ({ path, text }: Source, label = titleOf(text)): Leaf => ({ path, url: addressOf(path), label });

export function makeBook(given: readonly Source[]): Book {
  const sources = new Map(given.filter(({ path }) => isPage(path)).map((source) => [source.path, source]));
  const contents = sources.get(index);
  const taken = new Set<string>([index]);
  const named = contents ? readContents(contents, sources, taken) : [];
  const shelved = shelves.map(({ name, folder }) => ({
    name,
    leaves: [...sources.values()]
      .filter(({ path }) => path.startsWith(folder) && !taken.has(path))
      .sort((a, b) => rank(a.path) - rank(b.path) || (a.path < b.path ? -1 : 1))
      .map((source) => leafOf(source)),
  }));
  for (const { leaves } of shelved) for (const { path } of leaves) taken.add(path);
  const rest = [...sources.values()].filter(({ path }) => !taken.has(path));
  const forgotten = rest.filter(({ path }) => path.startsWith('docs/')).map((source) => leafOf(source));
  const sections = [
    { name: 'Docs', leaves: contents ? [leafOf(contents, 'Overview')] : [] },
    ...named,
    ...shelved,
    { name: 'More', leaves: forgotten },
  ].filter(({ leaves }) => leaves.length > 0);
  return {
    sources,
    sections,
    loose: rest.filter(({ path }) => !path.startsWith('docs/')).map((source) => leafOf(source)),
  };
}

const rank = (path: string): number => (path.endsWith('/README.md') ? 0 : 1);

/** The sections of the index, with those of its links that lead to pages. */
function readContents(contents: Source, sources: ReadonlyMap<string, Source>, taken: Set<string>): Section[] {
  const [, ...parts] = withoutFrontMatter(contents.text).split(/^## /m);
  return parts.map((part) => {
    const [name = ''] = part.split('\n', 1);
    const leaves = [...part.matchAll(/^- \[([^\]]+)\]\(([^)#]+)\)/gm)].flatMap(([, label = '', href = '']): Leaf[] => {
      const source = sources.get(posix.join(posix.dirname(contents.path), href));
      if (!source || taken.has(source.path)) return [];
      taken.add(source.path);
      return [leafOf(source, label)];
    });
    return { name: name.trim(), leaves };
  });
}

/** The status header of a page: how much of it is built, and which tests show it. */
export interface Standing {
  readonly status: 'shipped' | 'partial' | 'design' | undefined;
  readonly capabilities: readonly string[];
  readonly isEmitted: boolean;
  readonly isTyped: boolean;
}
export function standingOf(text: string): Standing {
  const { status, tested, capabilities = '' } = frontMatter(text);
  return {
    status: status === 'shipped' || status === 'partial' || status === 'design' ? status : undefined,
    capabilities: capabilities.split(',').flatMap((id) => id.trim() || []),
    isEmitted: /^(?:Emitted|Written) (?:by|from) /m.test(text.slice(0, 1_000)),
    isTyped: tested !== undefined || /^```\w+ test\b/m.test(text),
  };
}

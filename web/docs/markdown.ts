import { Marked, type Token, type Tokens } from 'marked';
import { escapeHtml } from '../../server/src/kernel/html.ts';
import { anchorOf, withoutFrontMatter } from '../../tools/lib/document.ts';
import { showDiagram } from './diagram.ts';
import { highlight } from './highlight.ts';

/** Where a link leads once the page is served: to a page, to somewhere outside, or only to a file of the repository. */
export type Target = { readonly href: string } | { readonly file: string };
export interface Heading {
  readonly depth: number;
  readonly text: string;
  readonly id: string;
}
/** A piece of a page that search finds by itself. */
export interface Passage {
  readonly heading: string;
  readonly id: string;
  readonly text: string;
}
export interface Rendered {
  readonly title: string;
  readonly html: string;
  readonly headings: readonly Heading[];
  readonly passages: readonly Passage[];
}

/** Words of one passage that are worth looking through; the rest of a long table adds weight and few finds. */
const passageLength = 700;

export function renderMarkdown(source: string, resolve: (href: string) => Target): Rendered {
  const headings: Heading[] = [];
  const seen = new Map<string, number>();
  const marked = new Marked({ gfm: true, breaks: false });
  marked.use({
    renderer: {
      heading({ depth, text, tokens }) {
        // The title stands above the page, with what else belongs there.
        if (depth === 1) return '';
        const id = uniqueId(text, seen);
        headings.push({ depth, text: plain(tokens), id });
        const words = this.parser.parseInline(tokens);
        const label = escapeHtml(`Link to ${plain(tokens)}`);
        return `<h${depth} id="${id}">${words} <a class="anchor" href="#${id}" aria-label="${label}">#</a></h${depth}>\n`;
      },
      code: ({ text, lang = '' }) => (lang === 'mermaid' && showDiagram(text)) || showCode(text, lang),
      table(token) {
        const row = (cells: readonly Tokens.TableCell[], tag: 'td' | 'th') =>
          `<tr>${cells.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')}</tr>`;
        const isBare = token.header.every(({ text }) => text === '');
        const head = isBare ? '' : `<thead>${row(token.header, 'th')}</thead>`;
        const body = token.rows.map((cells) => row(cells, 'td')).join('\n');
        return `<div class="table" role="group" aria-label="Table" tabindex="0"><table>${head}<tbody>${body}</tbody></table></div>\n`;
      },
      link({ href, tokens }) {
        const target = resolve(href);
        const words = this.parser.parseInline(tokens);
        if ('href' in target) return `<a href="${escapeHtml(target.href)}">${words}</a>`;
        return `<span class="file" title="${escapeHtml(target.file)}">${words}</span>`;
      },
      // Authors write no HTML; text that looks like HTML is escaped.
      html: ({ text }) => escapeHtml(text),
      image: ({ text }) => escapeHtml(text),
    },
  });
  const body = withoutFrontMatter(source);
  const tokens = marked.lexer(body);
  const html = marked.parser(tokens);
  return { title: titleIn(tokens), html, headings, passages: passagesOf(tokens) };
}

const titleIn = (tokens: readonly Token[]): string => {
  const first = tokens.find((token) => token.type === 'heading' && token.depth === 1) as Tokens.Heading | undefined;
  return first ? plain(first.tokens) : 'Untitled';
};

function uniqueId(text: string, seen: Map<string, number>): string {
  const id = anchorOf(text);
  const times = seen.get(id) ?? 0;
  seen.set(id, times + 1);
  return times === 0 ? id : `${id}-${times}`;
}

/** The plain text of a heading. */
export function plain(tokens: readonly Token[]): string {
  return tokens
    .map((token): string => {
      if (token.type === 'table') {
        const { header, rows } = token as Tokens.Table;
        return [header, ...rows].map((cells) => cells.map((cell) => plain(cell.tokens)).join(' ')).join(' ');
      }
      if (token.type === 'list') return (token as Tokens.List).items.map((item) => plain(item.tokens)).join(' ');
      if ('tokens' in token && token.tokens) return plain(token.tokens);
      return 'text' in token && typeof token.text === 'string' ? decode(token.text) : '';
    })
    .join(' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ([.,;:!?])/g, '$1')
    .trim();
}
const decode = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');

function passagesOf(tokens: readonly Token[]): Passage[] {
  const seen = new Map<string, number>();
  const passages: { heading: string; id: string; text: string }[] = [];
  let current = { heading: '', id: '', text: '' };
  for (const token of tokens) {
    if (token.type === 'heading') {
      const { depth, text, tokens: words } = token as Tokens.Heading;
      current = { heading: depth === 1 ? '' : plain(words), id: depth === 1 ? '' : uniqueId(text, seen), text: '' };
      passages.push(current);
    } else if (current.text.length < passageLength) {
      current.text = `${current.text} ${plain([token])}`.trim().slice(0, passageLength);
    }
  }
  return passages;
}

/** A block of code; what is marked behind its language (`sh test`) is for tests. */
export function showCode(text: string, marks = ''): string {
  const [language = ''] = marks.split(/\s+/);
  const label = language === '' ? 'Code' : `Code, ${language}`;
  return `<div class="code"><pre tabindex="0" role="group" aria-label="${escapeHtml(label)}"><code>${highlight(text, language)}</code></pre></div>\n`;
}

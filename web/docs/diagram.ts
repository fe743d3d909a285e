import { type Html, html } from '../../server/src/edge/oidc/html.ts';

/**
 * Renders Mermaid diagrams as lists of steps: source, label, target. That needs no script in the page, works with a
 * screen reader, and fits every screen. Other diagrams stay as code.
 */
interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly words: string;
  /** Drawn with dashes: an answer, or something that comes later. */
  readonly isLoose: boolean;
}
type Line = Arrow | { readonly note: string };

export function showDiagram(text: string): string | undefined {
  const [kind = '', ...lines] = text.trim().split('\n');
  const told = kind.startsWith('sequenceDiagram')
    ? readSequence(lines)
    : kind.startsWith('stateDiagram')
      ? readStates(lines)
      : /^(?:flowchart|graph)\b/.test(kind)
        ? readFlow(lines)
        : [];
  if (told.length === 0) return undefined;
  const list = html`<ol class="arrows">${told.map(showLine)}</ol>`;
  // A table shows the states of the machine too; the arrows are in a closed details element.
  return kind.startsWith('stateDiagram')
    ? html`<details class="diagram"><summary>As arrows</summary>${list}</details>`.text
    : list.text;
}

const showLine = (line: Line): Html =>
  'note' in line
    ? html`<li class="note">${line.note}</li>`
    : html`<li><b>${line.from}</b> <span class="${line.isLoose ? 'arrow loose' : 'arrow'}">→</span> <b>${line.to}</b>${line.words === '' ? undefined : html` <span>${line.words}</span>`}</li>`;

function readSequence(lines: readonly string[]): Line[] {
  return lines.flatMap((line): Line[] => {
    const [, from, dashes, to, words] = /^\s*(\w+?)(--?)>>?(\w+):\s*(.*)$/.exec(line) ?? [];
    if (from !== undefined && to !== undefined) return [{ from, to, words: words ?? '', isLoose: dashes === '--' }];
    const [, note] = /^\s*Note (?:over|left of|right of) [\w, ]+:\s*(.*)$/.exec(line) ?? [];
    return note === undefined ? [] : [{ note }];
  });
}

function readStates(lines: readonly string[]): Line[] {
  return lines.flatMap((line): Line[] => {
    const [, from = '', to = '', words = ''] = /^\s*(\S+) --> (\S+?)(?::\s*(.*))?$/.exec(line) ?? [];
    if (from === '') return [];
    return [{ from: from === '[*]' ? 'begin' : from, to: to === '[*]' ? 'end' : to, words, isLoose: false }];
  });
}

/** `a[label]`, `a(["label"])` or only `a`, with an arrow and perhaps words on it before the next one. */
const step = /(\w+)(?:[[({]+(?:"([^"]*)"|([^\])}]*))[\])}]+)?/y;
const link = /\s*(-->|-\.->)(?:\|([^|]*)\|)?\s*/y;

function readFlow(lines: readonly string[]): Line[] {
  const labels = new Map<string, string>();
  const arrows: Arrow[] = [];
  for (const line of lines) {
    const [, group, name] = /^\s*subgraph (\w+)(?: \[([^\]]*)\])?/.exec(line) ?? [];
    if (group !== undefined) labels.set(group, name ?? group);
    else arrows.push(...readChain(line.trim(), labels));
  }
  const named = (id: string) => labels.get(id) ?? id;
  return arrows.map((arrow) => ({ ...arrow, from: named(arrow.from), to: named(arrow.to) }));
}

function readChain(line: string, labels: Map<string, string>): Arrow[] {
  const arrows: Arrow[] = [];
  let from: string | undefined;
  let way = { isLoose: false, words: '' };
  for (let at = 0; at < line.length; ) {
    step.lastIndex = at;
    const [whole, id, quoted, bare] = step.exec(line) ?? [];
    if (whole === undefined || id === undefined) break;
    const label = quoted ?? bare;
    if (label !== undefined) labels.set(id, label.trim());
    if (from !== undefined) arrows.push({ from, to: id, ...way });
    from = id;
    link.lastIndex = at + whole.length;
    const [joint, kind, words = ''] = link.exec(line) ?? [];
    if (joint === undefined) break;
    way = { isLoose: kind !== '-->', words };
    at = link.lastIndex;
  }
  return arrows;
}

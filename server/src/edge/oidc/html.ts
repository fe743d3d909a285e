import { escapeHtml } from '../../kernel/html.ts';

/** Text that is markup already. Everything else that is put into a page is escaped on the way. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Hole = string | Html | undefined | readonly Html[];

/** A template of markup. A hole takes text, which is escaped, or markup that was made by this function. */
export function html(parts: TemplateStringsArray, ...holes: readonly Hole[]): Html {
  return new Html(parts.reduce((text, part, index) => text + render(holes[index - 1]) + part));
}

function render(hole: Hole): string {
  if (hole === undefined) return '';
  if (typeof hole === 'string') return escapeHtml(hole);
  return hole instanceof Html ? hole.text : hole.map(({ text }) => text).join('');
}

import { escapeHtml } from '../../../kernel/html.ts';

/** A mail in both forms, made of the same blocks. */
export interface Written {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** A paragraph, a link on a line of its own, or a list. */
export type Block =
  | { readonly say: string }
  | { readonly link: string; readonly label: string }
  | { readonly list: readonly { readonly say: string; readonly more?: string }[] };

const asText = (block: Block): string => {
  if ('say' in block) return block.say;
  if ('link' in block) return `  ${block.link}`;
  return block.list.map(({ say, more }) => `- ${say}${more ? `\n  ${more}` : ''}`).join('\n');
};
const asHtml = (block: Block): string => {
  if ('say' in block) return `<p>${escapeHtml(block.say)}</p>`;
  if ('link' in block) return `<p><a href="${escapeHtml(block.link)}">${escapeHtml(block.label)}</a></p>`;
  const lines = block.list.map(
    ({ say, more }) => `<li>${escapeHtml(say)}${more ? `<br><small>${escapeHtml(more)}</small>` : ''}</li>`,
  );
  return `<ul>\n${lines.join('\n')}\n</ul>`;
};

/** Colours are left to the reader's program, so that dark ones stay readable. */
const style =
  'max-width:600px;margin:0 auto;padding:16px;font-family:system-ui,-apple-system,Segoe UI,Roboto,sans-serif;line-height:1.5';

/** Text and markup of a mail. Everything in the blocks is text: a chosen name never becomes markup. */
export function compose(subject: string, blocks: readonly Block[], footer: readonly Block[] = []): Written {
  const end = footer.length > 0 ? `\n<hr>\n<div style="font-size:13px">\n${footer.map(asHtml).join('\n')}\n</div>` : '';
  return {
    subject,
    text: `${[...blocks.map(asText), ...(footer.length > 0 ? ['-- ', ...footer.map(asText)] : [])].join('\n\n')}\n`,
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>${escapeHtml(subject)}</title></head>
<body><div style="${style}">
${blocks.map(asHtml).join('\n')}${end}
</div></body></html>
`,
  };
}

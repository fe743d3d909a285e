import { Html, html } from '../../server/src/edge/oidc/html.ts';
import type { Leaf, Section, Standing } from './book.ts';
import type { Heading } from './markdown.ts';

/** One whole page: it works without a script and loads everything from its own installation. */
export interface Sheet {
  readonly url: string;
  readonly title: string;
  /** What stands between the heading and the text. */
  readonly lead?: Html;
  readonly body: Html;
  readonly headings: readonly Heading[];
  readonly standing?: Standing;
  /** The file of the repository that the page is made of. */
  readonly path?: string;
  readonly before?: Leaf | undefined;
  readonly after?: Leaf | undefined;
  readonly section?: string | undefined;
}
export interface Assets {
  readonly script: string;
  readonly style: string;
}

export function layOut(sheet: Sheet, sections: readonly Section[], assets: Assets): string {
  const contents = sheet.headings.filter(({ depth }) => depth <= 3);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${sheet.title} · GPUaaS docs</title>
<link rel="icon" href="/docs/assets/mark.svg" type="image/svg+xml">
<link rel="stylesheet" href="${assets.style}">
<script src="${assets.script}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header class="top">
<a class="brand" href="/docs"><img src="/docs/assets/mark.svg" alt="" width="24" height="24"><span data-brand-name>GPUaaS</span> <b>Docs</b></a>
<button class="find" type="button" data-find hidden><span>Search</span> <kbd>/</kbd></button>
<nav class="ways" aria-label="Elsewhere"><a href="/docs/api">API</a> <a href="/">Console</a>
<button type="button" class="theme" data-theme-switch hidden aria-label="Change between light and dark"><span aria-hidden="true">◐</span></button></nav>
</header>
<div class="frame">
<nav class="places" aria-label="Docs"><details data-places><summary>All pages</summary>
${sections.map((section) => showSection(section, sheet))}
</details></nav>
<main id="content" tabindex="-1">
<article>
${sheet.section === undefined ? undefined : html`<p class="crumb">${sheet.section}</p>`}
<h1>${sheet.title}</h1>
${sheet.standing && showStanding(sheet.standing)}
${sheet.lead}
${contents.length > 1 ? showContents(contents, 'brief') : undefined}
${sheet.body}
</article>
${showTurns(sheet)}
${sheet.path === undefined ? undefined : showOrigin(sheet.path, sheet.url)}
</main>
${contents.length > 1 ? showContents(contents, 'beside') : undefined}
</div>
</body>
</html>
`.text;
}

function showSection({ name, leaves }: Section, { url }: Sheet): Html {
  const isHere = leaves.some((leaf) => leaf.url === url);
  const list = html`<ul>${leaves.map((leaf) =>
    leaf.url === url
      ? html`<li><a href="${leaf.url}" aria-current="page">${leaf.label}</a></li>`
      : html`<li><a href="${leaf.url}">${leaf.label}</a></li>`,
  )}</ul>`;
  // Long sections are closed unless the current page is in them; the first sections are open.
  return leaves.length > longSection && !isHere
    ? html`<details class="shelf"><summary>${name}</summary>${list}</details>\n`
    : html`<section><h2>${name}</h2>${list}</section>\n`;
}
const longSection = 9;

const words = {
  shipped: 'Everything on this page is shown by tests',
  partial: 'Built in part: what is shown by tests, and what is planned',
  design: 'A design; nothing of it is built yet',
} as const;

function showStanding({ status, capabilities, isEmitted, isTyped }: Standing): Html | undefined {
  const chips = [
    ...(status ? [html`<span class="chip ${status}">${status}</span><span>${words[status]}</span>`] : []),
    ...(isEmitted && !status
      ? [
          html`<span class="chip emitted">generated</span><span>Follows from the code; a build fails when it does not</span>`,
        ]
      : []),
    ...(isTyped
      ? [
          html`<span class="chip typed">tested</span><span>A test types the commands of this page into a running installation</span>`,
        ]
      : []),
  ];
  if (chips.length === 0) return undefined;
  const ids = capabilities.map((id) => html` <code>${id}</code>`);
  const proof =
    ids.length > 0 ? html`<p class="ids"><a href="/docs/capability-matrix">Shown by</a>${ids}</p>` : undefined;
  return html`<div class="standing">${chips.map((chip) => html`<p>${chip}</p>`)}${proof}</div>`;
}

function showContents(headings: readonly Heading[], where: 'brief' | 'beside'): Html {
  const list = html`<ul>${headings.map(({ depth, id, text }) => html`<li class="d${String(depth)}"><a href="#${id}">${text}</a></li>`)}</ul>`;
  return where === 'brief'
    ? html`<details class="contents brief"><summary>On this page</summary>${list}</details>`
    : html`<nav class="contents beside" aria-label="On this page" data-contents><h2>On this page</h2>${list}</nav>`;
}

function showTurns({ before, after }: Sheet): Html | undefined {
  if (!before && !after) return undefined;
  const turn = (leaf: Leaf | undefined, rel: 'prev' | 'next', word: string) =>
    leaf ? html`<a rel="${rel}" class="${rel}" href="${leaf.url}"><span>${word}</span> ${leaf.label}</a>` : undefined;
  return html`<nav class="turns" aria-label="Pages around this one">${turn(before, 'prev', 'Before')}${turn(after, 'next', 'Next')}</nav>`;
}

const showOrigin = (path: string, url: string): Html =>
  html`<p class="origin">In the repository: <code>${path}</code> · <a href="${url}.md">as Markdown</a></p>`;

export const raw = (text: string): Html => new Html(text);

import { hash } from 'node:crypto';
import type { Branding } from '@gpuaas/contract';
import type { FastifyReply } from 'fastify';
import type { Page } from '../../ports/identity-provider/port.ts';
import { Html, html } from './html.ts';

/**
 * One sheet of paper for every page: a card with a heading, in the name and the colours of the installation. No script
 * runs here, nothing is loaded but its logo, and the one style sheet is named by its digest. Colours keep a contrast of
 * at least 4.5 to 1 in light and in dark.
 */
const style = `
:root { color-scheme: light dark; --ink: #16191d; --dim: #4b535d; --paper: #fff; --ground: #eef1f4; --line: #767f8a;
  --edge: #d5dae0; --accent: #0b5cad; --on-accent: #fff; --bad: #a4161a; --bad-ground: #fdecec }
@media (prefers-color-scheme: dark) { :root { --ink: #eceff2; --dim: #b4bcc6; --paper: #1b1f24; --ground: #101317;
  --line: #8a94a0; --edge: #333a42; --accent: #7db8f5; --on-accent: #0b1620; --bad: #ffb0ab; --bad-ground: #3a1718 } }
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 16px; background: var(--ground);
  color: var(--ink); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif }
main { width: 100%; max-width: 400px; padding: 28px 24px; background: var(--paper); border: 1px solid var(--edge);
  border-radius: 12px; overflow-wrap: anywhere }
.brand { display: flex; align-items: center; gap: 8px; margin: 0 0 20px; color: var(--dim); font-size: 14px;
  font-weight: 600; letter-spacing: .04em }
.brand img { max-width: 120px; height: 28px; object-fit: contain }
h1 { margin: 0 0 8px; font-size: 22px; line-height: 1.3 }
p { margin: 0 0 16px } .dim { color: var(--dim); font-size: 14px }
ul { margin: 0 0 16px; padding-left: 20px } form { margin: 0 } form + form { margin-top: 12px }
label { display: block; margin: 0 0 4px; font-weight: 600; font-size: 14px }
input { width: 100%; min-height: 44px; margin: 0 0 16px; padding: 8px 12px; border: 1px solid var(--line);
  border-radius: 8px; background: var(--paper); color: var(--ink); font: inherit }
.code { font: 600 24px/1.4 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; letter-spacing: .1em }
input.code { text-transform: uppercase } ::placeholder { color: var(--dim); opacity: 1 }
button { width: 100%; min-height: 44px; padding: 8px 16px; border: 1px solid var(--accent); border-radius: 8px;
  background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600; cursor: pointer }
button.plain { background: transparent; color: var(--ink); border-color: var(--line) }
a { color: var(--accent) }
input:focus-visible, button:focus-visible, a:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
.qr { width: 216px; margin: 0 auto 16px; background: #fff } .qr svg { display: block; width: 100%; height: auto }
.codes { columns: 2; list-style: none; padding: 0; font: 600 16px/1.8 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace }
button + .help, form + .help { margin: 20px 0 0; text-align: center }
.problem { padding: 10px 12px; border-radius: 8px; background: var(--bad-ground); color: var(--bad) }
`;
const accented = ({ light, dark }: NonNullable<Branding['accent']>): string => `
:root { --accent: ${light} } @media (prefers-color-scheme: dark) { :root { --accent: ${dark} } }
`;

export interface Sheet {
  readonly title: string;
  readonly body: Html;
  /** Where a form of this page may lead in the end; its own origin always. */
  readonly leadsTo?: string | undefined;
  /** The text of the page's script. Most pages have none. */
  readonly script?: string | undefined;
}

export type LayOut = (sheet: Sheet) => Page;

export function makeLayOut(brand: Branding): LayOut {
  const dressed = brand.accent ? style + accented(brand.accent) : style;
  const digest = `sha256-${hash('sha256', dressed, 'base64')}`;
  const logo = brand.logo_url === null ? undefined : html`<img src="${brand.logo_url}" alt="">`;
  const images = logo ? "img-src 'self'; " : '';
  const icon = brand.logo_url === null ? undefined : html`<link rel="icon" href="${brand.logo_url}">`;
  const help =
    brand.support_url === null
      ? undefined
      : html`<p class="help dim"><a href="${brand.support_url}" rel="noreferrer">Help</a></p>`;
  return ({ title, body, leadsTo, script }) => {
    const scripts = script === undefined ? '' : `script-src 'sha256-${hash('sha256', script, 'base64')}'; `;
    const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · ${brand.name}</title>
${icon}
<style>${new Html(dressed)}</style>
</head>
<body>
<main>
<p class="brand">${logo}<bdi>${brand.name}</bdi></p>
<h1>${title}</h1>
${body}
${help}
</main>
${script === undefined ? undefined : new Html(`<script>${script}</script>`)}
</body>
</html>
`;
    return {
      html: page.text,
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy':
          `default-src 'none'; style-src '${digest}'; ${scripts}${images}form-action 'self'${formTarget(leadsTo)}; ` +
          `base-uri 'none'; frame-ancestors 'none'`,
        'cache-control': 'no-store',
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
        // Not no-referrer: with it, a browser would send no Origin for a form of our own page.
        'referrer-policy': 'same-origin',
      },
    };
  };
}

/** The default branding, for tests and tools that show no page. */
export const plainLayOut: LayOut = makeLayOut({ name: 'GPUaaS', logo_url: null, accent: null, support_url: null });

/** Answers with a page, in the clothes of the installation. */
export type Send = (
  reply: FastifyReply,
  status: number,
  sheet: Sheet,
  headers?: Readonly<Record<string, string>>,
) => FastifyReply;

export const makeSend =
  (layOut: LayOut): Send =>
  (reply, status, sheet, headers = {}) => {
    const page = layOut(sheet);
    return reply
      .code(status)
      .headers({ ...page.headers, ...headers })
      .send(page.html);
  };

/**
 * Browsers hold redirects after a form to `form-action` as well, so the program that the person came from has to be on
 * the list. An address in brackets cannot be written there, so for it the scheme has to do.
 */
export function formTarget(leadsTo: string | undefined): string {
  if (leadsTo === undefined || !URL.canParse(leadsTo)) return '';
  const { protocol, host, hostname } = new URL(leadsTo);
  if (protocol !== 'http:' && protocol !== 'https:') return /^[a-z][a-z0-9+.-]*:$/.test(protocol) ? ` ${protocol}` : '';
  return hostname.startsWith('[') ? ` ${protocol}` : ` ${protocol}//${host}`;
}

import { type LocalPages, serveLocally } from '../local-pages.ts';
import { html } from '../oidc/html.ts';

/**
 * The emails of an installation without a mail server, as pages and as JSON. Only `npm start` serves them, on a
 * loopback port of its own: emails contain sign-in links, so no production process has this page. Requests with a
 * foreign host name are refused.
 */
export interface Letters {
  letters(page: { readonly limit: number; readonly before?: number }): Promise<readonly ShownLetter[]>;
  letter(id: string): Promise<ShownLetter | undefined>;
}
interface ShownLetter {
  readonly id: string;
  readonly position: number;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly receivedAt: Date;
}

const shownAtOnce = 50;
const headers = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};
interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}
const page = (title: string, body: ReturnType<typeof html>): Answer => ({
  status: 200,
  type: 'text/html; charset=utf-8',
  body: html`<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1>${body}`.text,
});
const absent: Answer = { status: 404, type: 'text/plain; charset=utf-8', body: 'There is no such email.\n' };

const links = (text: string) =>
  text
    .split(/(https?:\/\/[^\s<>"']+)/)
    .map((part, at) => (at % 2 === 1 ? html`<a href="${part}" rel="noreferrer">${part}</a>` : html`${part}`));

async function answer(letters: Letters, path: string): Promise<Answer> {
  const latest = () => letters.letters({ limit: shownAtOnce });
  if (path === '/') {
    const rows = (await latest()).map(
      ({ id, to, subject, receivedAt }) =>
        html`<li><a href="/letters/${encodeURIComponent(id)}">${subject}</a> to ${to}, ${receivedAt.toISOString()}</li>`,
    );
    return page('Letters', rows.length > 0 ? html`<ol>${rows}</ol>` : html`<p>Nothing was sent yet.</p>`);
  }
  if (path === '/letters.json') {
    return { status: 200, type: 'application/json', body: JSON.stringify({ data: await latest() }) };
  }
  const id = /^\/letters\/([A-Za-z0-9._-]{1,128})$/.exec(path)?.[1];
  const letter = id === undefined ? undefined : await letters.letter(id);
  return letter ? page(letter.subject, html`<p>To ${letter.to}</p><pre>${links(letter.text)}</pre>`) : absent;
}

export const serveInbox = (parts: {
  readonly letters: Letters;
  readonly host: string;
  readonly onFault: (error: unknown) => void;
}): Promise<LocalPages> =>
  serveLocally(parts.host, (request, response, own) => {
    const send = ({ status, type, body }: Answer) =>
      response.writeHead(status, { ...headers, 'content-type': type }).end(body);
    if (request.method !== 'GET' || request.headers.host !== own) {
      send({ status: 403, type: 'text/plain; charset=utf-8', body: 'Open this page by its own address.\n' });
      return;
    }
    answer(parts.letters, request.url?.split('?')[0] ?? '/').then(send, (error: unknown) => {
      parts.onFault(error);
      send({ status: 500, type: 'text/plain; charset=utf-8', body: 'The emails could not be read.\n' });
    });
  });

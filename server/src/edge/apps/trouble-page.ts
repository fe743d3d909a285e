import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

/** Who broke: what stands before us, this proxy with the control plane behind it, the host, or the application itself. */
export type Culprit = 'caller' | 'proxy' | 'node' | 'app';
export interface Trouble {
  readonly status: number;
  readonly culprit: Culprit;
  readonly message: string;
  /** When to try again. */
  readonly retrySeconds?: number;
}

export const troubles = {
  malformed: {
    status: 400,
    culprit: 'caller',
    message: 'This request cannot be read in one way only, so it is refused.',
  },
  sign_in: {
    status: 401,
    culprit: 'caller',
    message: 'Sign in, or send the token of a user or service account as bearer.',
  },
  foreign_page: {
    status: 403,
    culprit: 'caller',
    message: 'A page of another address asked for this. Open the application at its own address.',
  },
  refused: { status: 404, culprit: 'caller', message: 'There is no such application, or you may not use it.' },
  busy: {
    status: 429,
    culprit: 'proxy',
    message: 'Too many requests to this application, or to those of its organization, are under way. Try again soon.',
  },
  too_many: {
    ...{ status: 429, culprit: 'caller', retrySeconds: 2 },
    message: 'Too many requests from your address without a sign-in that is good. Try again soon.',
  },
  crowded: {
    ...{ status: 503, culprit: 'proxy', retrySeconds: 2 },
    message: 'Too many callers ask to be let in. Try again in a moment.',
  },
  unavailable: { status: 503, culprit: 'proxy', message: 'The control plane does not answer. Try again in a moment.' },
  stopping: { status: 503, culprit: 'proxy', message: 'This copy of the proxy is stopping. Try again.' },
  not_running: { status: 503, culprit: 'app', message: 'The application does not run. Start it in the console.' },
  no_tunnel: { status: 502, culprit: 'node', message: 'The host of this application is not connected.' },
  tunnel_lost: { status: 502, culprit: 'node', message: 'The host of this application lost its connection.' },
  too_slow: { status: 504, culprit: 'node', message: 'The host of this application did not answer in time.' },
  unknown_workload: { status: 502, culprit: 'node', message: 'The host does not have this application.' },
  port_closed: { status: 502, culprit: 'app', message: 'The application runs, but nothing answers at its port.' },
  broke_off: { status: 502, culprit: 'app', message: 'The application ended the connection without an answer.' },
  app_too_slow: { status: 504, culprit: 'app', message: 'The application did not answer in time.' },
} as const satisfies Readonly<Record<string, Trouble>>;
export type TroubleName = keyof typeof troubles;

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** For a person as a page, for a program as JSON. Both name who broke, and the id to ask with. */
export function render(name: TroubleName, correlationId: string, wantsPage: boolean): { type: string; body: string } {
  const { status, culprit, message } = troubles[name];
  if (!wantsPage) {
    const body = JSON.stringify({
      ...{ title: STATUS_CODES[status], status, code: `app_${name}`, broke: culprit, message },
      correlation_id: correlationId,
    });
    return { type: 'application/problem+json; charset=utf-8', body };
  }
  const steps = (['caller', 'proxy', 'node', 'app'] as const).map(
    (one) => `<li${one === culprit ? ' class="broke"' : ''}>${one}${one === culprit ? ' ✗' : ''}</li>`,
  );
  const body = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${status} ${STATUS_CODES[status] ?? ''}</title>
<style>body{font:16px system-ui;margin:15vh auto;max-width:36rem;padding:0 1rem}ol{display:flex;gap:1.5rem;list-style:none;padding:0}.broke{color:#b00020;font-weight:bold}code{word-break:break-all}</style>
</head><body><h1>${escaped(message)}</h1><ol>${steps.join('')}</ol>
<p>Correlation id: <code>${escaped(correlationId)}</code></p></body></html>
`;
  return { type: 'text/html; charset=utf-8', body };
}

const closingHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "frame-ancestors 'self'",
} as const;

export function answerTrouble(
  response: ServerResponse,
  name: TroubleName,
  about: { readonly correlationId: string; readonly wantsPage: boolean },
): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  const { type, body } = render(name, about.correlationId, about.wantsPage);
  const { status, retrySeconds }: Trouble = troubles[name];
  // What is left of a body that was not read must not be taken for the next request.
  if (!response.req.complete) response.setHeader('connection', 'close');
  if (retrySeconds !== undefined) response.setHeader('retry-after', retrySeconds);
  response
    .writeHead(status, STATUS_CODES[status] ?? '', {
      ...closingHeaders,
      'content-type': type,
      'content-length': Buffer.byteLength(body),
      'x-correlation-id': about.correlationId,
    })
    .end(body);
}

export function refuseSocket(socket: Duplex, name: TroubleName, correlationId: string): void {
  const { type, body } = render(name, correlationId, false);
  const { status, retrySeconds }: Trouble = troubles[name];
  const retry = retrySeconds === undefined ? '' : `retry-after: ${retrySeconds}\r\n`;
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\ncontent-type: ${type}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${retry}x-correlation-id: ${correlationId}\r\n\r\n${body}`,
    () => socket.destroy(),
  );
}

import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

/** Which part failed: the caller, this proxy or the control plane, the host, or the application. */
export type FailedPart = 'caller' | 'proxy' | 'node' | 'app';
export interface ProxyError {
  readonly status: number;
  readonly failedPart: FailedPart;
  readonly message: string;
  /** The Retry-After header. */
  readonly retrySeconds?: number;
}

export const proxyErrors = {
  malformed: {
    status: 400,
    failedPart: 'caller',
    message: 'This request is ambiguous or malformed.',
  },
  sign_in: {
    status: 401,
    failedPart: 'caller',
    message: 'Sign in, or send a bearer token of a user or service account.',
  },
  cross_origin: {
    status: 403,
    failedPart: 'caller',
    message: 'A page at another address sent this request. Open the application at its own address.',
  },
  refused: { status: 404, failedPart: 'caller', message: 'There is no such application, or you may not use it.' },
  busy: {
    status: 429,
    failedPart: 'proxy',
    message:
      'Too many requests to this application, or to others of its organization, are in progress. Try again soon.',
  },
  too_many_requests: {
    ...{ status: 429, failedPart: 'caller', retrySeconds: 2 },
    message: 'Too many requests from your address without a valid sign-in. Try again soon.',
  },
  overloaded: {
    ...{ status: 503, failedPart: 'proxy', retrySeconds: 2 },
    message: 'Too many sign-ins are being checked. Try again in a moment.',
  },
  unavailable: {
    status: 503,
    failedPart: 'proxy',
    message: 'The control plane does not answer. Try again in a moment.',
  },
  stopping: { status: 503, failedPart: 'proxy', message: 'This proxy is stopping. Try again.' },
  not_running: { status: 503, failedPart: 'app', message: 'The application is not running. Start it in the console.' },
  no_tunnel: { status: 502, failedPart: 'node', message: 'The host of this application is not connected.' },
  tunnel_lost: { status: 502, failedPart: 'node', message: 'The host of this application lost its connection.' },
  too_slow: { status: 504, failedPart: 'node', message: 'The host of this application did not answer in time.' },
  unknown_workload: { status: 502, failedPart: 'node', message: 'The host does not have this application.' },
  port_closed: {
    status: 502,
    failedPart: 'app',
    message: 'The application is running, but nothing listens on its port.',
  },
  ended_early: { status: 502, failedPart: 'app', message: 'The application ended the connection without an answer.' },
  app_too_slow: { status: 504, failedPart: 'app', message: 'The application did not answer in time.' },
} as const satisfies Readonly<Record<string, ProxyError>>;
export type ProxyErrorCode = keyof typeof proxyErrors;

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** A page for a person, JSON for a program. Both name the part that failed and the correlation id. */
export function render(
  name: ProxyErrorCode,
  correlationId: string,
  wantsPage: boolean,
): { type: string; body: string } {
  const { status, failedPart, message } = proxyErrors[name];
  if (!wantsPage) {
    const body = JSON.stringify({
      ...{ title: STATUS_CODES[status], status, code: `app_${name}`, failed_part: failedPart, message },
      correlation_id: correlationId,
    });
    return { type: 'application/problem+json; charset=utf-8', body };
  }
  const steps = (['caller', 'proxy', 'node', 'app'] as const).map(
    (one) => `<li${one === failedPart ? ' class="failed_part"' : ''}>${one}${one === failedPart ? ' ✗' : ''}</li>`,
  );
  const body = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${status} ${STATUS_CODES[status] ?? ''}</title>
<style>body{font:16px system-ui;margin:15vh auto;max-width:36rem;padding:0 1rem}ol{display:flex;gap:1.5rem;list-style:none;padding:0}.failed_part{color:#b00020;font-weight:bold}code{word-break:break-all}</style>
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

export function answerError(
  response: ServerResponse,
  name: ProxyErrorCode,
  about: { readonly correlationId: string; readonly wantsPage: boolean },
): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  const { type, body } = render(name, about.correlationId, about.wantsPage);
  const { status, retrySeconds }: ProxyError = proxyErrors[name];
  // The rest of an unread body must not be parsed as the next request.
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

export function refuseSocket(socket: Duplex, name: ProxyErrorCode, correlationId: string): void {
  const { type, body } = render(name, correlationId, false);
  const { status, retrySeconds }: ProxyError = proxyErrors[name];
  const retry = retrySeconds === undefined ? '' : `retry-after: ${retrySeconds}\r\n`;
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\ncontent-type: ${type}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${retry}x-correlation-id: ${correlationId}\r\n\r\n${body}`,
    () => socket.destroy(),
  );
}

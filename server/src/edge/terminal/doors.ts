import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/** An upgrade that is refused gets an answer of HTTP and no body: the caller learns the status and nothing else. */
export function refuseUpgrade(socket: Duplex, status: 400 | 401 | 403 | 404 | 426 | 429 | 503): void {
  const words = {
    400: 'Bad Request',
    401: 'Unauthorized',
    403: 'Forbidden',
    404: 'Not Found',
    426: 'Upgrade Required',
    429: 'Too Many Requests',
    503: 'Service Unavailable',
  };
  if (socket.writable) {
    socket.end(`HTTP/1.1 ${status} ${words[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  }
  // Nothing more is read from it, whatever comes.
  socket.once('finish', () => socket.destroy());
}

/** The subprotocols that a client offers. */
export const offeredProtocols = ({ headers }: IncomingMessage): string[] =>
  (headers['sec-websocket-protocol'] ?? '').split(',').map((one) => one.trim());

/** The path without the query, and whether there is one. */
export function splitUrl(request: IncomingMessage): { readonly path: string; readonly query: string } {
  const [path = '', ...rest] = (request.url ?? '').split('?');
  return { path, query: rest.join('?') };
}

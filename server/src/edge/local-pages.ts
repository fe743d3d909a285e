import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface LocalPages {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves pages of `npm start` on a free port of a loopback address. `own` is that address, as a browser names it. */
export async function serveLocally(
  host: string,
  answer: (request: IncomingMessage, response: ServerResponse, own: string) => void,
): Promise<LocalPages> {
  let own = '';
  const server = createServer((request, response) => answer(request, response, own));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port: 0 }, resolve);
  });
  own = `${host}:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${own}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/** A receiver of webhooks on this machine. Its path says how it answers; without one, the function given does. */
export interface Receiver {
  readonly base: string;
  readonly received: { path: string; headers: Record<string, unknown>; body: string }[];
  /** The status of the next answers to `/`. */
  status: number;
  close(): Promise<void>;
}

export async function startReceiver(tls?: { readonly key: string; readonly cert: string }): Promise<Receiver> {
  const received: Receiver['received'] = [];
  const answer = (request: IncomingMessage, reply: ServerResponse) => {
    const path = request.url ?? '';
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      received.push({ path, headers: request.headers, body });
      if (path === '/silent') return;
      if (path === '/moved') reply.writeHead(302, { location: '/status/200' }).end();
      else if (path === '/large') {
        reply.writeHead(200);
        const more = () => {
          if (!reply.destroyed) reply.write('x'.repeat(16_384), more);
        };
        more();
      } else reply.writeHead(Number(/^\/status\/(\d+)$/.exec(path)?.[1] ?? receiver.status)).end();
    });
  };
  const server = tls ? createTlsServer(tls, answer) : createServer(answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    base: tls ? `https://127.0.0.1:${port}` : `http://127.0.0.1:${port}`,
    received,
    status: 200,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return receiver;
}

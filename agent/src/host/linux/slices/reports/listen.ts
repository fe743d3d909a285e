import { createServer, type IncomingMessage, type Server } from 'node:http';

/** Binds the server to an address of this host. */
export type ListenAt = (server: Server, at: { readonly host: string; readonly port: number }) => Promise<void>;

const limits = { connections: 256, perMachine: 4, headersMs: 5_000, requestMs: 10_000, headerBytes: 8 * 1_024 };

/**
 * The server behind the door: it answers with a status and nothing else, and hangs up. A machine that is slow, or holds connections
 * open, takes none of the room of others.
 */
export function makeGuestServer(answer: (request: IncomingMessage) => Promise<number>): Server {
  const server = createServer(
    { maxHeaderSize: limits.headerBytes, headersTimeout: limits.headersMs, requestTimeout: limits.requestMs },
    (request, response) => {
      answer(request)
        .catch(() => 500)
        .then((status) => response.writeHead(status, { connection: 'close' }).end())
        .catch(() => request.destroy());
    },
  );
  server.maxConnections = limits.connections;
  const connected = new Map<string, number>();
  server.on('connection', (socket) => {
    const address = socket.remoteAddress ?? '';
    const open = (connected.get(address) ?? 0) + 1;
    connected.set(address, open);
    socket.once('close', () => {
      const left = (connected.get(address) ?? 1) - 1;
      if (left > 0) connected.set(address, left);
      else connected.delete(address);
    });
    socket.on('error', () => undefined);
    if (open > limits.perMachine) socket.destroy();
  });
  return server;
}

export const listenAt: ListenAt = (server, at) =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ ...at, exclusive: true }, () => {
      server.off('error', reject);
      server.on('error', () => undefined);
      resolve();
    });
  });

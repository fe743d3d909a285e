import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/**
 * What an operator puts in front of several api processes: it passes TCP through to one that answers, without looking into
 * it. Nodes need exactly this, because their certificates are checked by the api itself.
 */
export interface Balancer {
  readonly port: number;
  close(): Promise<void>;
}

export async function openBalancer(ports: readonly number[]): Promise<Balancer> {
  const sockets = new Set<Socket>();
  let turn = 0;
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  };
  const server = createServer((client) => {
    keep(client);
    turn += 1;
    const attempt = (left: number) => {
      const upstream = connect(ports[(turn + left) % ports.length] ?? 0, '127.0.0.1');
      upstream.once('error', () => (left > 1 ? attempt(left - 1) : client.destroy()));
      upstream.once('connect', () => {
        keep(upstream);
        client.pipe(upstream).pipe(client);
        client.once('close', () => upstream.destroy());
        upstream.once('close', () => client.destroy());
      });
    };
    attempt(ports.length);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

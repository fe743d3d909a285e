import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/**
 * A door in front of a database server that can be shut. While it is shut, whoever comes is told that there are too many
 * clients, as a full or starting server would, and is counted. Everybody inside is cut off when it shuts.
 */
export interface DatabaseGate {
  /** The same address, through the gate. */
  readonly url: string;
  through(url: string): string;
  shut(): void;
  open(): void;
  /** How many came since the gate was last shut. */
  refused(): number;
  /** How many are inside. */
  inside(): number;
  /** The most that were inside at once. */
  most(): number;
  close(): Promise<void>;
}

export async function openDatabaseGate(databaseUrl: string): Promise<DatabaseGate> {
  const target = new URL(databaseUrl);
  const host = decodeURIComponent(target.hostname);
  const portOfServer = Number(target.port || '5432');
  const pairs = new Set<readonly [Socket, Socket]>();
  let isShut = false;
  let refused = 0;
  let most = 0;
  const server = createServer((client) => {
    client.on('error', () => undefined);
    if (isShut) {
      refused += 1;
      client.once('data', () => client.end(tooManyClients()));
      return;
    }
    const upstream = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${portOfServer}`) : connect(portOfServer, host);
    upstream.on('error', () => client.destroy());
    const pair = [client, upstream] as const;
    pairs.add(pair);
    most = Math.max(most, pairs.size);
    client.pipe(upstream).pipe(client);
    const part = () => {
      pairs.delete(pair);
      client.destroy();
      upstream.destroy();
    };
    client.once('close', part);
    upstream.once('close', part);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const through = (url: string) => {
    const moved = new URL(url);
    moved.hostname = '127.0.0.1';
    moved.port = String(port);
    return moved.href;
  };
  const cut = () => {
    for (const [client, upstream] of pairs) {
      client.destroy();
      upstream.destroy();
    }
  };
  return {
    url: through(databaseUrl),
    through,
    shut() {
      isShut = true;
      refused = 0;
      cut();
    },
    open() {
      isShut = false;
    },
    refused: () => refused,
    inside: () => pairs.size,
    most: () => most,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      cut();
      await closed;
    },
  };
}

/** What PostgreSQL answers when all its connections are taken. */
export function tooManyClients(): Buffer {
  const fields = ['SFATAL', 'VFATAL', 'C53300', 'Msorry, too many clients already'].map((field) => `${field}\0`);
  const body = Buffer.from(`${fields.join('')}\0`);
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

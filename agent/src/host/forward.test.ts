import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import ssh2, { type Client, type ClientChannel } from 'ssh2';
import { afterEach, expect, it } from 'vitest';
import { openForward } from './forward.ts';
import type { Shell } from './port.ts';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** The other end of the stream, as the control plane has it. */
async function connectTo(shell: Shell): Promise<Client> {
  const reader = shell.output.getReader();
  const sock = new Duplex({
    read() {
      reader.read().then(
        ({ done, value }) => this.push(done ? null : Buffer.from(value)),
        () => this.push(null),
      );
    },
    write(chunk: Buffer, _, callback) {
      shell.write(chunk).then(() => callback(), callback);
    },
  });
  const client = new ssh2.Client();
  client.connect({ sock: sock as unknown as Socket, username: 'x', password: 'x' });
  await once(client, 'ready');
  client.on('error', () => undefined);
  cleanUps.push(() => shell.end());
  return client;
}
const opened = (client: Client, port: number) =>
  new Promise<ClientChannel>((resolve, reject) =>
    client.forwardOut('127.0.0.1', 1, '127.0.0.1', port, (error, channel) =>
      error ? reject(error) : resolve(channel),
    ),
  );
/** A port whose queue is full: who connects to it waits. Node cannot listen with so short a queue. */
async function openFullPort(): Promise<number> {
  const program =
    'import socket,sys\ns=socket.socket();s.bind(("127.0.0.1",0));s.listen(0)\nc=[socket.socket() for _ in range(4)]\nfor x in c: x.setblocking(False);x.connect_ex(s.getsockname())\nprint(s.getsockname()[1],flush=True);sys.stdin.read()';
  const child = spawn('python3', ['-c', program], { stdio: ['pipe', 'pipe', 'inherit'] });
  cleanUps.push(async () => {
    child.stdin.end();
    await once(child, 'exit');
  });
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  return Number(said.toString());
}
/** Connections to the port that the kernel still waits for an answer to. */
async function connectingTo(port: number): Promise<number> {
  const remote = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const rows = (await readFile('/proc/self/net/tcp', 'utf8')).split('\n').map((row) => row.trim().split(/\s+/));
  return rows.filter(([, , to = '', state]) => to.endsWith(remote) && state === '02').length;
}

it('carries a connection both ways, each direction with its own end', async () => {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    text(socket).then(
      (heard) => socket.end(`heard ${heard}`),
      () => socket.destroy(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUps.push(() => server.close());
  const { port } = server.address() as { port: number };
  const client = await connectTo(openForward(port));
  const channel = await opened(client, port);
  channel.end('a question');
  expect(await text(channel)).toBe('heard a question');
  await expect(opened(client, port + 1)).rejects.toThrow('open failure');
});

it('counts a connection from the first attempt on, gives up those that nobody takes, and ends all with the stream', async () => {
  const port = await openFullPort();
  const before = await connectingTo(port);
  const shell = openForward(port);
  const client = await connectTo(shell);
  let refused = 0;
  const tries = Array.from({ length: 200 }, () =>
    opened(client, port).catch(() => {
      refused += 1;
    }),
  );
  await expect.poll(() => refused, { timeout: 20_000 }).toBeGreaterThanOrEqual(200 - 64);
  const waiting = (await connectingTo(port)) - before;
  expect(waiting).toBeLessThanOrEqual(64);
  await Promise.all(tries);
  expect(refused).toBe(200);
  // The places are free again.
  opened(client, port).catch(() => undefined);
  await expect.poll(() => connectingTo(port), { timeout: 10_000 }).toBe(before + 1);
  await shell.end();
  await expect.poll(() => connectingTo(port), { timeout: 10_000 }).toBe(before);
}, 60_000);

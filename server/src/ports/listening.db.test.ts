import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { openTestDatabase } from '../testing/postgres.ts';
import { openDatabaseGate, tooManyClients } from '../testing/servers/database-gate.ts';
import { openListening } from './listening.ts';

const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
});
const keep = <T extends { close(): unknown }>(thing: T): T => {
  opened.push(thing);
  return thing;
};

/** A server that says one thing to everybody and hangs up, and counts who came. */
async function startRefusing(answer: Buffer | undefined) {
  let attempts = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    attempts += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
    socket.once('data', () => (answer ? socket.end(answer) : socket.destroy()));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return keep({
    url: `postgres://nobody:nothing@127.0.0.1:${port}/none`,
    attempts: () => attempts,
    open: () => sockets.size,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

/** Long enough for the longest pause, more than once. */
const refusedMs = 5_000;

describe('a connection that listens and comes back', () => {
  it.each([
    { what: 'answers that it has too many clients', answer: tooManyClients() },
    { what: 'hangs up', answer: undefined },
  ])('asks a server that $what a few times, never twice at once, and ends when it is closed', async ({ answer }) => {
    const server = await startRefusing(answer);
    const listening = openListening({ url: server.url, name: 'test', channels: ['a'], heard: () => undefined });
    let most = 0;
    const until = performance.now() + refusedMs;
    while (performance.now() < until) {
      most = Math.max(most, server.open());
      await pause(5);
    }
    // Pauses of at least 25, 50, 100, 200, 400 and 800 ms, and then one of at least 1,000 ms each time.
    const elapsedMs = performance.now() - until + refusedMs;
    expect(server.attempts()).toBeGreaterThan(1);
    expect(server.attempts()).toBeLessThanOrEqual(7 + elapsedMs / 1_000);
    expect(most).toBeLessThanOrEqual(1);
    await listening.close();
    const before = server.attempts();
    await pause(300);
    expect(server.attempts()).toBe(before);
  });

  it('says why it could not listen', async () => {
    const server = await startRefusing(tooManyClients());
    const listening = keep(openListening({ url: server.url, name: 'test', channels: [], heard: () => undefined }));
    const failure = await listening.catchUp(500).catch((error: unknown) => error);
    expect(String(failure)).toContain('test could not listen within 500 ms');
    expect(String((failure as Error).cause)).toContain('too many clients');
  });

  it('closes at once while a server that accepts says nothing', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    keep(silent);
    await once(silent, 'listening');
    const address = silent.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const accepted = once(silent, 'connection');
    const url = `postgres://nobody:nothing@127.0.0.1:${port}/none`;
    const listening = openListening({ url, name: 'test', channels: [], heard: () => undefined });
    const [socket] = (await accepted) as [Socket];
    await listening.close();
    socket.destroy();
  });

  it('hears every channel again after the server was away, and says that it missed something', async () => {
    const database = keep(await openTestDatabase());
    const gate = keep(await openDatabaseGate(database.url));
    const heard: string[] = [];
    let returns = 0;
    const listening = keep(
      openListening({
        url: gate.url,
        name: 'test',
        channels: ['first'],
        heard: (channel, payload) => heard.push(`${channel} ${payload}`),
        back: () => {
          returns += 1;
        },
      }),
    );
    await listening.catchUp(10_000);
    await listening.add('second');
    const say = async (channel: string, payload: string) => {
      const client = new Client({ connectionString: database.url });
      await client.connect();
      await client.query('select pg_notify($1, $2)', [channel, payload]);
      await client.end();
      await listening.catchUp(10_000);
    };
    await say('second', 'before');
    gate.shut();
    // Asked for while it is away: it is heard as soon as it is back.
    await listening.add('third');
    await pause(200);
    gate.open();
    await listening.catchUp(10_000);
    for (const channel of ['first', 'second', 'third']) await say(channel, 'after');
    expect(heard).toEqual(['second before', 'first after', 'second after', 'third after']);
    expect(returns).toBe(1);
  });
});

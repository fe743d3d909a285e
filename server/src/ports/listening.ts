import pg from 'pg';
import { systemClock } from '../kernel/clock.ts';
import { jitteredBackoffMs } from '../kernel/process/backoff.ts';

/**
 * A connection to PostgreSQL that does nothing but listen, and comes back by itself. Everything that waits for
 * notifications (database, cache, bus, sagas) uses this one: a connection that comes back wrongly can take a machine down.
 *
 * There is one loop: connect, listen, wait until the connection is lost, pause, start again. Nothing else connects, and no
 * event of the library starts anything, so there is never more than one attempt under way. The library emits `end` also
 * after a failed connect; reconnecting from that event would start a second loop with every failure.
 *
 * Pauses double from 50 ms to 2 s, with jitter. A connection that was lost again within `steadyMs` counts as a failure:
 * otherwise a server that accepts and hangs up would be asked twenty times a second. Pauses follow the wall clock and not
 * the injected one: a network does not come back sooner because a test turned the hands.
 */
export interface Listening {
  /** Hears this channel too, from now on and after every return. Waits until the server has agreed, if it is there. */
  add(channel: string): Promise<void>;
  /**
   * Resolves when the connection listens and everything said before this call has been heard; rejects when that takes too
   * long, with the reason of the last failure.
   */
  catchUp(withinMs: number): Promise<void>;
  close(): Promise<void>;
}

export interface ListeningLog {
  warn(details: object, message: string): void;
}

const wait = { firstMs: 50, maxMs: 2_000 };
const steadyMs = 5_000;
const deadlineMs = 5_000;
const goodbyeMs = 1_000;
/** A connection can die without a sign, so it is asked for one from time to time. */
const pulseEveryMs = 30_000;

export function openListening(parts: {
  readonly url: string;
  /** As `pg_stat_activity` shows it. */
  readonly name: string;
  readonly channels: readonly string[];
  readonly heard: (channel: string, payload: string) => void;
  /** It listens again. What was said meanwhile is lost: look for yourself. */
  readonly back?: () => void;
  readonly log?: ListeningLog | undefined;
}): Listening {
  const closing = new AbortController();
  const channels = new Set(parts.channels);
  let ready = Promise.withResolvers<Session>();
  let lastFailure: unknown;

  const life = async (): Promise<void> => {
    let failures = 0;
    for (let times = 0; !closing.signal.aborted; times += 1) {
      const session = openSession(parts);
      const hangUp = () => session.hangUp();
      closing.signal.addEventListener('abort', hangUp, { once: true });
      let since: number | undefined;
      try {
        await session.connect();
        for (const channel of channels) await session.listen(channel);
        since = performance.now();
        ready.resolve(session);
        if (times > 0) parts.back?.();
        await session.lost(closing.signal);
      } catch (error) {
        lastFailure = error;
      }
      closing.signal.removeEventListener('abort', hangUp);
      if (since !== undefined) ready = Promise.withResolvers<Session>();
      await session.end();
      if (closing.signal.aborted) return;
      failures = since !== undefined && performance.now() - since > steadyMs ? 1 : failures + 1;
      const retryMs = Math.round(jitteredBackoffMs(wait, failures));
      parts.log?.warn({ err: lastFailure, listener: parts.name, retryMs, failures }, 'a listening connection was lost');
      await systemClock.sleep(retryMs, closing.signal).catch(() => undefined);
    }
  };

  const lived = life();
  return {
    async add(channel) {
      if (channels.has(channel)) return;
      channels.add(channel);
      const session = await Promise.race([ready.promise, Promise.resolve(undefined)]);
      // While it is away, the channel is listened to as soon as it is back.
      await session?.listen(channel).catch(() => undefined);
    },
    async catchUp(withinMs) {
      const answered = new AbortController();
      const late = systemClock.sleep(withinMs, AbortSignal.any([closing.signal, answered.signal])).then(() => {
        throw new Error(`${parts.name} could not listen within ${withinMs} ms`, { cause: lastFailure });
      });
      try {
        await Promise.race([ready.promise.then((session) => session.ask()), late]);
      } finally {
        late.catch(() => undefined);
        answered.abort();
      }
    },
    async close() {
      closing.abort(new Error(`${parts.name} is closed`));
      await lived;
    },
  };
}

interface Session {
  connect(): Promise<void>;
  listen(channel: string): Promise<void>;
  /** One question. The server hands out notices before it answers a later question. */
  ask(): Promise<void>;
  /** Resolves when the connection is gone. */
  lost(closing: AbortSignal): Promise<void>;
  hangUp(): void;
  end(): Promise<void>;
}

function openSession(parts: {
  readonly url: string;
  readonly name: string;
  readonly heard: (channel: string, payload: string) => void;
}): Session {
  const client = new pg.Client({
    connectionString: parts.url,
    application_name: parts.name,
    connectionTimeoutMillis: deadlineMs,
    query_timeout: deadlineMs,
    keepAlive: true,
  });
  const gone = new AbortController();
  let cause: Error | undefined;
  client.on('error', (error) => {
    cause ??= error;
    gone.abort();
  });
  client.on('end', () => gone.abort());
  client.on('notification', ({ channel, payload }) => parts.heard(channel, payload ?? ''));
  // One question at a time, in the order in which they are asked.
  let asked: Promise<unknown> = Promise.resolve();
  const query = async (text: string) => {
    const answer = asked.then(() => client.query(text));
    asked = answer.catch(() => undefined);
    try {
      await answer;
    } catch (error) {
      gone.abort();
      throw error;
    }
  };
  const hangUp = () => void client.connection.stream.destroy();
  return {
    connect: async () => void (await client.connect()),
    listen: (channel) => query(`listen ${pg.escapeIdentifier(channel)}`),
    ask: () => query('select 1'),
    async lost(closing) {
      const over = AbortSignal.any([closing, gone.signal]);
      while (!over.aborted) {
        await systemClock.sleep(pulseEveryMs, over).catch(() => undefined);
        if (!over.aborted) await query('select 1');
      }
      if (cause) throw cause;
    },
    hangUp,
    async end() {
      const enough = new AbortController();
      const late = systemClock.sleep(goodbyeMs, enough.signal).catch(() => undefined);
      await Promise.race([client.end().catch(() => undefined), late]);
      enough.abort();
      // Whatever the library thinks of it, the socket is gone now.
      hangUp();
    },
  };
}

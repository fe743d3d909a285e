import { Pool } from 'pg';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import { type Ids, systemIds } from '../../kernel/id.ts';
import { openListening } from '../listening.ts';
import { checkCost, checkName, checkSpan, checkText } from './limits.ts';
import { type CacheLog, makeListeners } from './listeners.ts';
import type { Cache } from './port.ts';
import {
  claimEntry,
  deleteEntry,
  getEntry,
  hitWindow,
  makeTables,
  notify,
  notifyLong,
  readLong,
  setEntry,
  sweepExpired,
  takeEntry,
} from './postgres-tables.ts';

/**
 * The cache of an installation with PostgreSQL only. Each operation is one prepared statement and one round trip. The
 * reader decides expiry, against the injected clock; the sweep only frees space. All channels share one notification
 * channel and are separated in the process, so a subscription needs no round trip, and no SQL is made of a channel
 * name.
 */
export interface PostgresCacheOptions {
  readonly url: string;
  /** A pool to share; without one, the cache opens its own. The listener always has a connection of its own. */
  readonly pool?: Pool;
  readonly clock?: Clock;
  readonly ids?: Ids;
  readonly log?: CacheLog;
  readonly sweepEveryMs?: number;
}

/** Postgres takes payloads below 8,000 bytes; longer ones are kept in a table for a minute and only pointed at. */
const maxNoticeBytes = 7_900;
const longMessageTtlMs = 60_000;
/** How many messages may wait behind one that is being fetched. Beyond that, the newest are lost. */
const maxWaiting = 10_000;
const sweepRows = 1_000;
const sweepRounds = 20;
const deadlineMs = 5_000;

export async function openPostgresCache(options: PostgresCacheOptions): Promise<Cache> {
  const { clock = systemClock, ids = systemIds, log } = options;
  const pool =
    options.pool ??
    new Pool({
      connectionString: options.url,
      application_name: 'gpuaas-cache',
      max: 4,
      connectionTimeoutMillis: deadlineMs,
      statement_timeout: deadlineMs,
      query_timeout: deadlineMs + 1_000,
      keepAlive: true,
    });
  // The pool replaces a connection that died while it was idle; unheard, its error event would end the process.
  if (!options.pool) pool.on('error', (error) => log?.warn({ err: error }, 'an idle cache connection was lost'));

  const nowMs = () => clock.now().getTime();
  const listeners = makeListeners(log);
  const closing = new AbortController();

  /** Runs one prepared statement. After `close` nothing is sent, also when the pool is shared and lives on. */
  const run = async <Row extends object>(statement: { name: string; text: string }, values: unknown[]) => {
    closing.signal.throwIfAborted();
    return pool.query<Row>({ ...statement, values });
  };

  // Messages are delivered one after the other: one that has to be fetched delays those behind it, so order is kept.
  let waiting = 0;
  let lastTold = Promise.resolve();
  const hear = (payload: string) => {
    const notice = parseNotice(payload);
    if (!notice) return log?.warn({}, 'a stranger spoke on the channel of the cache');
    const { channel, content } = notice;
    if (!listeners.has(channel)) return;
    if (typeof content === 'string' && waiting === 0) return listeners.tell(channel, content);
    if (waiting >= maxWaiting) return log?.warn({ channel }, 'a cache message was lost: too many are waiting');
    waiting += 1;
    lastTold = lastTold
      .then(async () => {
        const message = typeof content === 'string' ? content : await fetchLong(content);
        if (message !== undefined) listeners.tell(channel, message);
      })
      .catch((error: unknown) =>
        log?.warn({ err: error, channel }, 'a cache message was lost: it could not be fetched'),
      )
      .finally(() => {
        waiting -= 1;
      });
  };
  const fetchLong = async (id: number) => (await run<{ body: Buffer }>(readLong, [id])).rows[0]?.body.toString();

  const sweepForever = async () => {
    while (!closing.signal.aborted) {
      await clock.sleep(options.sweepEveryMs ?? 30_000, closing.signal).catch(() => undefined);
      try {
        for (let round = 0; round < sweepRounds && !closing.signal.aborted; round += 1) {
          const swept = await run<{ most: number }>(sweepExpired, [nowMs(), sweepRows]);
          if ((swept.rows[0]?.most ?? 0) < sweepRows) break;
        }
      } catch (error) {
        if (!closing.signal.aborted) log?.warn({ err: error }, 'expired cache rows could not be swept');
      }
    }
  };

  const listener = openListening({
    url: options.url,
    name: 'gpuaas-cache-listener',
    channels: ['gpuaas_cache'],
    // What was said while it was away is not heard, which is what "at most once" means.
    heard: (_, payload) => hear(payload),
    log,
  });
  let sweeping = Promise.resolve();
  const close = async () => {
    if (closing.signal.aborted) return;
    closing.abort(new Error('the cache is closed'));
    listeners.clear();
    await listener.close();
    await Promise.all([sweeping, lastTold]);
    if (!options.pool) await pool.end();
  };
  try {
    await makeTables(pool);
    await listener.catchUp(deadlineMs);
  } catch (error) {
    await close();
    throw error;
  }
  sweeping = sweepForever();

  const cache: Cache = {
    async get(key) {
      checkName('key', key);
      const found = await run<{ value: Buffer }>(getEntry, [key, nowMs()]);
      return found.rows[0]?.value.toString();
    },
    async set(key, value, ttlMs) {
      checkName('key', key);
      checkText('value', value);
      checkSpan('ttlMs', ttlMs);
      await run(setEntry, [key, Buffer.from(value), nowMs() + ttlMs]);
    },
    async delete(key) {
      checkName('key', key);
      await run(deleteEntry, [key]);
    },
    async take(key) {
      checkName('key', key);
      const taken = await run<{ value: Buffer | null }>(takeEntry, [key, nowMs()]);
      return taken.rows[0]?.value?.toString();
    },
    async claim(key, value, ttlMs) {
      checkName('key', key);
      checkText('value', value);
      checkSpan('ttlMs', ttlMs);
      const now = nowMs();
      const claimed = await run(claimEntry, [key, Buffer.from(value), now + ttlMs, now]);
      return claimed.rowCount === 1;
    },
    async hit(key, windowMs, cost) {
      checkName('key', key);
      checkSpan('windowMs', windowMs);
      checkCost(cost);
      const now = nowMs();
      const counted = await run<{ count: number; reset_ms: number }>(hitWindow, [key, cost, now + windowMs, now]);
      const row = counted.rows[0];
      if (!row) throw new Error('the database counted a hit and did not say so');
      return { count: row.count, resetMs: row.reset_ms };
    },
    async publish(channel, message) {
      checkName('channel', channel);
      checkText('message', message);
      const notice = JSON.stringify([channel, message]);
      if (Buffer.byteLength(notice) < maxNoticeBytes) await run(notify, [notice]);
      else await run(notifyLong, [channel, Buffer.from(message), nowMs() + longMessageTtlMs]);
    },
    async subscribe(channel, listen) {
      checkName('channel', channel);
      closing.signal.throwIfAborted();
      // What was published before is still on its way to this process; it is not for the newcomer.
      await listener.catchUp(deadlineMs);
      await lastTold;
      closing.signal.throwIfAborted();
      const leave = listeners.add(channel, listen);
      return { close: async () => leave() };
    },
    async check() {
      const key = `check:${ids.secret(8)}`;
      await cache.set(key, key, deadlineMs);
      if ((await cache.take(key)) !== key) throw new Error('a value did not make the round trip through the cache');
    },
    close,
  };
  return cache;
}

/** A message, or the id of a long one. Anybody who can reach the database can also notify, so nothing is assumed. */
function parseNotice(payload: string): { channel: string; content: string | number } | undefined {
  try {
    const [channel, content] = JSON.parse(payload) as unknown[];
    if (typeof channel !== 'string') return undefined;
    return typeof content === 'string' || Number.isSafeInteger(content)
      ? { channel, content: content as string | number }
      : undefined;
  } catch {
    return undefined;
  }
}

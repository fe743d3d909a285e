import { Pool, type QueryResult } from 'pg';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import { type Ids, systemIds } from '../../kernel/id.ts';
import type { Adapted } from '../adapter.ts';
import { openListening } from '../listening.ts';
import { Deliveries } from './deliveries.ts';
import { checkAdmissions, checkCost, checkName, checkSpan, checkText } from './limits.ts';
import { type CacheLog, makeListeners } from './listeners.ts';
import type { Cache } from './port.ts';
import {
  admitToWindow,
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
const sweepRows = 1_000;
const sweepRounds = 20;
const deadlineMs = 5_000;

export async function openPostgresCache(options: PostgresCacheOptions): Promise<Cache & Adapted> {
  const { clock = systemClock, ids = systemIds, log } = options;
  const pool = options.pool ?? openPool(options.url, log);
  const nowMs = () => clock.now().getTime();
  const listeners = makeListeners(log);
  const closing = new AbortController();

  /** Runs one prepared statement. After `close` nothing is sent, also when the pool is shared and lives on. */
  const run: Run = async <Row extends object>(statement: { name: string; text: string }, values: unknown[]) => {
    closing.signal.throwIfAborted();
    return pool.query<Row>({ ...statement, values });
  };

  const deliveries = new Deliveries(listeners, log, async (id) => {
    const { rows } = await run<{ body: Buffer }>(readLong, [id]);
    return rows[0]?.body.toString();
  });

  const listener = openListening({
    url: options.url,
    name: 'gpuaas-cache-listener',
    channels: ['gpuaas_cache'],
    // What was said while it was away is not heard, which is what "at most once" means.
    heard: (_, payload) => deliveries.hear(payload),
    log,
  });
  let sweeping = Promise.resolve();
  const close = async () => {
    if (closing.signal.aborted) return;
    closing.abort(new Error('the cache is closed'));
    listeners.clear();
    await listener.close();
    await Promise.all([sweeping, deliveries.settled]);
    if (!options.pool) await pool.end();
  };
  try {
    await makeTables(pool);
    await listener.catchUp(deadlineMs);
  } catch (error) {
    await close();
    throw error;
  }
  sweeping = sweepForever(run, { clock, log, everyMs: options.sweepEveryMs ?? 30_000, signal: closing.signal });

  const entries = makeEntries(run, nowMs);
  return {
    adapter: { name: 'postgres', kind: 'embedded' },
    ...entries,
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
      await deliveries.settled;
      closing.signal.throwIfAborted();
      const leave = listeners.add(channel, listen);
      return { close: async () => leave() };
    },
    async check() {
      const key = `check:${ids.secret(8)}`;
      await entries.set(key, key, deadlineMs);
      if ((await entries.take(key)) !== key) throw new Error('a value did not make the round trip through the cache');
    },
    close,
  };
}

/** Runs one prepared statement of the cache. */
type Run = <Row extends object>(
  statement: { name: string; text: string },
  values: unknown[],
) => Promise<QueryResult<Row>>;

/** Values and windows. */
const makeEntries = (
  run: Run,
  nowMs: () => number,
): Pick<Cache, 'get' | 'set' | 'delete' | 'take' | 'claim' | 'hit' | 'admit'> => ({
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
  async admit(key, windowMs, limit) {
    checkName('key', key);
    checkSpan('windowMs', windowMs);
    checkAdmissions(limit);
    const values = [key, nowMs(), windowMs, limit];
    const asked = await run<{ allowed: boolean; count: number; reset_ms: number }>(admitToWindow, values);
    const row = asked.rows[0];
    if (!row) throw new Error('the database judged a call and did not say how');
    return { allowed: row.allowed, count: row.count, resetMs: row.reset_ms };
  },
});

async function sweepForever(
  run: Run,
  options: {
    readonly clock: Clock;
    readonly log: CacheLog | undefined;
    readonly everyMs: number;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { clock, log, signal } = options;
  while (!signal.aborted) {
    await clock.sleep(options.everyMs, signal).catch(() => undefined);
    try {
      for (let round = 0; round < sweepRounds && !signal.aborted; round += 1) {
        const swept = await run<{ most: number }>(sweepExpired, [clock.now().getTime(), sweepRows]);
        if ((swept.rows[0]?.most ?? 0) < sweepRows) break;
      }
    } catch (error) {
      if (!signal.aborted) log?.warn({ err: error }, 'expired cache rows could not be swept');
    }
  }
}

function openPool(url: string, log: CacheLog | undefined): Pool {
  const pool = new Pool({
    connectionString: url,
    application_name: 'gpuaas-cache',
    max: 4,
    connectionTimeoutMillis: deadlineMs,
    statement_timeout: deadlineMs,
    query_timeout: deadlineMs + 1_000,
    keepAlive: true,
  });
  // The pool replaces a connection that died while it was idle; unheard, its error event would end the process.
  pool.on('error', (error) => log?.warn({ err: error }, 'an idle cache connection was lost'));
  return pool;
}

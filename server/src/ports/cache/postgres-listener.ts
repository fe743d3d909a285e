import { Client } from 'pg';
import { systemClock } from '../../kernel/clock.ts';
import type { CacheLog } from './listeners.ts';

/**
 * One connection that does nothing but listen. It lives in a loop: connect, listen, wait until it is lost, start again.
 * What is said while it is away is not heard, which is what "at most once" means. A connection can also die without a
 * sign, so it asks for a pulse from time to time.
 *
 * Pacing follows the wall clock and not the injected one: a network does not come back sooner because a test or
 * `--speed` turned the hands.
 */
export interface NoticeListener {
  /**
   * Resolves when the connection listens and everything said before this call has been heard; rejects when that takes
   * too long. The server hands out notices before it answers a later question, so one question is enough to know.
   */
  catchUp(withinMs: number): Promise<void>;
  close(): Promise<void>;
}

const deadlineMs = 5_000;
const pulseEveryMs = 30_000;
const firstRetryMs = 50;
const lastRetryMs = 2_000;

export function openNoticeListener(parts: {
  readonly url: string;
  readonly hear: (payload: string) => void;
  readonly log: CacheLog | undefined;
}): NoticeListener {
  const closing = new AbortController();
  let ready = Promise.withResolvers<() => Promise<void>>();
  let retryMs = firstRetryMs;

  const listenOnce = async (): Promise<void> => {
    const client = new Client({
      connectionString: parts.url,
      application_name: 'gpuaas-cache-listener',
      connectionTimeoutMillis: deadlineMs,
      query_timeout: deadlineMs,
      keepAlive: true,
    });
    let listens = false;
    const lost = new AbortController();
    client.once('end', () => lost.abort());
    client.on('error', () => lost.abort());
    client.on('notification', (notice) => parts.hear(notice.payload ?? ''));
    try {
      await client.connect();
      await client.query('LISTEN gpuaas_cache');
      // One question at a time, in the order in which they are asked.
      let answered: Promise<unknown> = Promise.resolve();
      const ask = async () => {
        answered = answered.then(() => client.query('select 1'));
        try {
          await answered;
        } catch (error) {
          lost.abort();
          throw error;
        }
      };
      ready.resolve(ask);
      listens = true;
      retryMs = firstRetryMs;
      const over = AbortSignal.any([closing.signal, lost.signal]);
      while (!over.aborted) {
        await systemClock.sleep(pulseEveryMs, over).catch(() => undefined);
        if (!over.aborted) await ask();
      }
    } finally {
      if (listens) ready = Promise.withResolvers<() => Promise<void>>();
      await client.end().catch(() => undefined);
    }
  };

  const listenForever = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      let cause: unknown = 'the connection was lost';
      await listenOnce().catch((error: unknown) => {
        cause = error;
      });
      if (closing.signal.aborted) return;
      parts.log?.warn({ err: cause, retryMs }, 'the cache is deaf until it is connected again');
      await systemClock.sleep(retryMs, closing.signal).catch(() => undefined);
      retryMs = Math.min(retryMs * 2, lastRetryMs);
    }
  };

  const life = listenForever();
  return {
    async catchUp(withinMs) {
      const answered = new AbortController();
      const late = systemClock.sleep(withinMs, AbortSignal.any([closing.signal, answered.signal])).then(() => {
        throw new Error(`the cache could not listen within ${withinMs} ms`);
      });
      try {
        await Promise.race([ready.promise.then((ask) => ask()), late]);
      } finally {
        answered.abort();
      }
    },
    async close() {
      closing.abort(new Error('the cache is closed'));
      await life;
    },
  };
}

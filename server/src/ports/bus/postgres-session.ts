import pg from 'pg';
import type { Clock } from '../../kernel/clock.ts';
import { sayWhy } from './attempt.ts';
import type { BusLog } from './log.ts';

/** What the queue library asks of a connection. */
export interface Statements {
  executeSql(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
}

/** Runs statements of ours and of the queue library as one transaction. */
export type Transact = <T>(work: (db: Statements) => Promise<T>) => Promise<T>;

export const makeTransact =
  (pool: pg.Pool): Transact =>
  async (work) => {
    const client = await pool.connect();
    let broken: Error | undefined;
    // Between statements nobody else would hear that the connection has died.
    const hear = (error: Error) => {
      broken = error;
    };
    client.on('error', hear);
    try {
      await client.query('begin');
      const result = await work({ executeSql: (text, values) => client.query(text, values) });
      await client.query('commit');
      return result;
    } catch (error) {
      await client.query('rollback').catch(hear);
      throw error;
    } finally {
      client.off('error', hear);
      client.release(broken);
    }
  };

/** A connection that listens, and comes back by itself when it was lost. */
export interface Listener {
  close(): Promise<void>;
}

export async function openListener(options: {
  readonly url: string;
  readonly channel: string;
  readonly clock: Clock;
  readonly log: BusLog;
  heard(payload: string): void;
  /** Whatever was said while nobody listened is lost: look for yourself. */
  missed(): void;
}): Promise<Listener> {
  const { clock, log } = options;
  let client: pg.Client | undefined;
  const closing = new AbortController();

  const listen = async (): Promise<{ readonly lost: Promise<void> }> => {
    const next = new pg.Client({
      connectionString: options.url,
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
      application_name: 'gpuaas-bus-listener',
    });
    const lost = new Promise<void>((resolve) => {
      next.on('error', () => resolve());
      next.on('end', () => resolve());
    });
    next.on('notification', (news) => options.heard(news.payload ?? ''));
    client = next;
    await next.connect();
    await next.query(`listen ${pg.escapeIdentifier(options.channel)}`);
    return { lost };
  };

  const keepListening = async (first: Promise<void>) => {
    let lost = first;
    while (!closing.signal.aborted) {
      await lost;
      await client?.end().catch(() => undefined);
      try {
        if (closing.signal.aborted) return;
        lost = (await listen()).lost;
        options.missed();
      } catch (error) {
        log.warn({ reason: sayWhy(error) }, 'nobody listens for news of the bus');
        await clock.sleep(500, closing.signal).catch(() => undefined);
      }
    }
  };
  const keeping = keepListening((await listen()).lost);
  return {
    async close() {
      closing.abort();
      await client?.end().catch(() => undefined);
      await keeping;
    },
  };
}

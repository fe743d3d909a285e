import type pg from 'pg';
import type { PgBoss } from 'pg-boss';
import type { Clock } from '../../../kernel/clock.ts';
import { sayWhy } from '../attempt.ts';
import type { BusLog } from '../log.ts';
import { findAbandoned, forgetIds, tellNews } from './statements.ts';

export const HOUSEKEEPING_MS = 60_000;

/** Looks after the queues. Only a process that consumes does it. */
export function startCare(options: {
  readonly boss: PgBoss;
  readonly pool: pg.Pool;
  readonly channel: string;
  readonly sweepMs: number;
  readonly clock: Clock;
  readonly log: BusLog;
}): { close(): Promise<void> } {
  const { boss, pool, channel, clock, log } = options;
  const closing = new AbortController();
  const repeat = async (everyMs: number, complaint: string, work: () => Promise<unknown>) => {
    while (!closing.signal.aborted) {
      await clock.sleep(everyMs, closing.signal).catch(() => undefined);
      if (closing.signal.aborted) return;
      await work().catch((error: unknown) => log.warn({ reason: sayWhy(error) }, complaint));
    }
  };
  /** Gives messages back whose taker has died. */
  const sweep = async () => {
    for (const { name } of (await pool.query<{ name: string }>(findAbandoned)).rows) {
      await boss.supervise(name);
      await pool.query({ ...tellNews, values: [channel, name] });
    }
  };
  const keepHouse = async () => {
    await boss.supervise();
    await pool.query(forgetIds);
  };
  const running = Promise.all([
    repeat(options.sweepMs, 'messages of the dead could not be looked for', sweep),
    repeat(HOUSEKEEPING_MS, 'the queues could not be tidied up', keepHouse),
  ]);
  return {
    async close() {
      closing.abort();
      await running;
    },
  };
}

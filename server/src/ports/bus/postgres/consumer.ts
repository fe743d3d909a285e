import type pg from 'pg';
import type { PgBoss } from 'pg-boss';
import type { Clock } from '../../../kernel/clock.ts';
import { sayWhy } from '../attempt.ts';
import { type Bell, makeBell } from '../bell.ts';
import type { BusLog } from '../log.ts';
import type { Consumer } from '../port.ts';
import { Hands } from './hands.ts';
import type { Transact } from './session.ts';
import { findNextTry } from './statements.ts';

/** News come on a connection that says when it was lost; this is for the day when even that goes unnoticed. */
const SAFETY_POLL_MS = 15_000;
const LARGEST_FETCH = 500;
const SETTLE_PAUSE_MS = 250;
const SETTLE_TRIES_ON_CLOSE = 20;

/**
 * One instance of a consumer: a loop that settles what has ended and takes as many heads of keys as it has free hands,
 * then sleeps until a bell rings. Everything that ended during one round is settled in the next, with the statement that
 * takes, so the busier it is the larger its batches are. Messages stay in the database until there is a free hand.
 */
export function startPostgresConsumer(options: {
  readonly boss: PgBoss;
  readonly pool: pg.Pool;
  readonly transact: Transact;
  readonly consumer: Consumer;
  readonly clock: Clock;
  readonly log: BusLog;
}): { readonly bell: Bell; close(): Promise<void> } {
  const { boss, pool, consumer, clock, log } = options;
  const { name } = consumer;
  const bell = makeBell();
  const closing = new AbortController();
  const { signal } = closing;

  const ringIn = (ms: number, first?: () => void) =>
    void clock.sleep(ms, signal).then(
      () => {
        first?.();
        bell.ring();
      },
      () => undefined,
    );

  const hands = new Hands({ ...options, bell, ringIn });

  /** What an instance before us failed on: nobody else thinks of it when its next try is due. */
  let areTriesLeftBehind = true;
  const expectNextTry = async () => {
    const { rows } = await pool.query<{ inMs: number | null }>({ ...findNextTry, values: [name] });
    areTriesLeftBehind = false;
    const inMs = rows[0]?.inMs ?? null;
    if (inMs === null) return;
    ringIn(inMs + 1, () => {
      areTriesLeftBehind = true;
    });
  };

  /** Handlers may take their time when we close; only the wait for a database that is gone has an end. */
  const run = async () => {
    let losses = 0;
    while (!signal.aborted || hands.size > 0) {
      try {
        await hands.settleFailed();
        await hands.settleAndTake(signal.aborted ? 0 : LARGEST_FETCH);
        if (areTriesLeftBehind) await expectNextTry();
        losses = 0;
      } catch (error) {
        log.warn({ consumer: name, reason: sayWhy(error) }, 'the queue of a consumer cannot be reached');
        if (signal.aborted && hands.areIdle && ++losses > SETTLE_TRIES_ON_CLOSE) return;
        await clock.sleep(SETTLE_PAUSE_MS);
        continue;
      }
      if (!signal.aborted || hands.size > 0) await bell.wait();
    }
  };

  const over = new AbortController();
  const forever = async (everyMs: number, work: () => unknown) => {
    while (!over.signal.aborted) {
      await clock.sleep(everyMs, over.signal).catch(() => undefined);
      try {
        if (!over.signal.aborted) await work();
      } catch (error) {
        log.warn({ consumer: name, reason: sayWhy(error) }, 'a sign of life was lost');
      }
    }
  };
  const signOfLife = () => (hands.size > 0 ? boss.touch(name, hands.jobs()) : undefined);

  const running = run();
  const beside = [forever(consumer.ackWaitMs / 3, signOfLife), forever(SAFETY_POLL_MS, bell.ring)];
  return {
    bell,
    async close() {
      closing.abort();
      bell.ring();
      await running;
      over.abort();
      await Promise.all(beside);
    },
  };
}

import type pg from 'pg';
import type { PgBoss } from 'pg-boss';
import type { Clock } from '../../../kernel/clock.ts';
import { sayWhy, tryDelivery } from '../attempt.ts';
import { type Bell, makeBell } from '../bell.ts';
import type { BusLog } from '../log.ts';
import type { Consumer } from '../port.ts';
import { decodeMessage, type Received } from '../wire.ts';
import type { Transact } from './session.ts';
import { findNextTry, settleAndTake } from './statements.ts';

/** How a message lies in a queue. The envelope stays text: jsonb would reorder it, and refuse some strings. */
interface Stored {
  readonly id: string;
  readonly subject: string;
  readonly key: string;
  readonly envelope: string;
}

/** A message in our hands. The count names the try: who comes with an old one is not listened to. */
interface Job {
  readonly id: string;
  readonly retryCount: number;
  readonly data: unknown;
}

/** A try that failed, on its way back into the queue. */
interface Failed {
  readonly job: Job;
  readonly againInMs: number;
  readonly reason: string;
}

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
  const { boss, pool, transact, consumer, clock, log } = options;
  const { name } = consumer;
  const bell = makeBell();
  const inWork = new Map<string, Job>();
  let ended: Job[] = [];
  let failed: Failed[] = [];
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

  const start = async (job: Job) => {
    inWork.set(job.id, job);
    const { message, unreadable } = readJob(job, clock);
    const attempt = job.retryCount + 1;
    const outcome = await tryDelivery('postgres', consumer, { message, attempt }, { unreadable });
    if (outcome === 'done') ended.push(job);
    else {
      failed.push({ job, ...outcome });
      log.warn({ consumer: name, message: message.id, attempt, ...outcome }, 'a message will be tried again');
    }
    bell.ring();
  };

  /** A message leaves our hands only with the commit that says what became of it. */
  const settleFailed = async () => {
    const again = failed;
    failed = [];
    try {
      // Together, or the message would be there to take before its time.
      for (const { job, againInMs, reason } of again)
        await transact(async (db) => {
          await boss.fail(name, job, { reason }, { db });
          await boss.update(name, undefined, { id: job.id, startAfter: againInMs / 1_000, db });
        });
    } catch (error) {
      failed = [...again, ...failed];
      throw error;
    }
    for (const { job, againInMs } of again) {
      inWork.delete(job.id);
      ringIn(againInMs + 1);
    }
  };

  const settleAndTakeMore = async () => {
    const done = ended;
    const hands = signal.aborted ? 0 : Math.min(consumer.concurrency - inWork.size + done.length, LARGEST_FETCH);
    if (done.length + hands === 0) return;
    ended = [];
    try {
      const { rows } = await pool.query<Job>({
        ...settleAndTake,
        values: [name, done.map(({ id }) => id), done.map(({ retryCount }) => retryCount), hands],
      });
      for (const { id } of done) inWork.delete(id);
      for (const job of rows)
        start(job).catch((error: unknown) => log.warn({ err: error, consumer: name }, 'a message was not handled'));
    } catch (error) {
      ended = [...done, ...ended];
      throw error;
    }
  };

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
    while (!signal.aborted || inWork.size > 0) {
      try {
        await settleFailed();
        await settleAndTakeMore();
        if (areTriesLeftBehind) await expectNextTry();
        losses = 0;
      } catch (error) {
        log.warn({ consumer: name, reason: sayWhy(error) }, 'the queue of a consumer cannot be reached');
        const nobodyWorks = inWork.size === ended.length + failed.length;
        if (signal.aborted && nobodyWorks && ++losses > SETTLE_TRIES_ON_CLOSE) return;
        await clock.sleep(SETTLE_PAUSE_MS);
        continue;
      }
      if (!signal.aborted || inWork.size > 0) await bell.wait();
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
  const signOfLife = () => (inWork.size > 0 ? boss.touch(name, [...inWork.values()]) : undefined);

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

function readJob(job: Job, clock: Clock): Received {
  const { id, subject, key, envelope } = (job.data ?? {}) as { [field in keyof Stored]?: unknown };
  const whole = typeof envelope === 'string';
  return decodeMessage({
    id: typeof id === 'string' ? id : job.id,
    subject: typeof subject === 'string' ? subject : 'unknown',
    key: typeof key === 'string' ? key : undefined,
    text: whole ? envelope : JSON.stringify(job.data ?? null),
    receivedAt: clock.now(),
  });
}

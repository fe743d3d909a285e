import type pg from 'pg';
import type { PgBoss } from 'pg-boss';
import type { Clock } from '../../../kernel/clock.ts';
import { tryDelivery } from '../attempt.ts';
import type { Bell } from '../bell.ts';
import type { BusLog } from '../log.ts';
import type { Consumer } from '../port.ts';
import { decodeMessage, type Received } from '../wire.ts';
import type { Transact } from './session.ts';
import { settleAndTake } from './statements.ts';

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

interface HandsParts {
  readonly boss: PgBoss;
  readonly pool: pg.Pool;
  readonly transact: Transact;
  readonly consumer: Consumer;
  readonly clock: Clock;
  readonly log: BusLog;
  /** Rung when a message has ended or failed. */
  readonly bell: Bell;
  readonly ringIn: (ms: number) => void;
}

/** The messages that one instance works on. One leaves only with the commit that says what became of it. */
export class Hands {
  readonly #parts: HandsParts;
  readonly #inWork = new Map<string, Job>();
  #ended: Job[] = [];
  #failed: Failed[] = [];
  constructor(parts: HandsParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#inWork.size;
  }
  /** No handler runs: what is left only has to be settled. */
  get areIdle(): boolean {
    return this.#inWork.size === this.#ended.length + this.#failed.length;
  }
  jobs(): Job[] {
    return [...this.#inWork.values()];
  }

  async settleFailed(): Promise<void> {
    const { boss, transact, consumer, ringIn } = this.#parts;
    const again = this.#failed;
    this.#failed = [];
    try {
      // Together, or the message would be there to take before its time.
      for (const { job, againInMs, reason } of again)
        await transact(async (db) => {
          await boss.fail(consumer.name, job, { reason }, { db });
          await boss.update(consumer.name, undefined, { id: job.id, startAfter: againInMs / 1_000, db });
        });
    } catch (error) {
      this.#failed = [...again, ...this.#failed];
      throw error;
    }
    for (const { job, againInMs } of again) {
      this.#inWork.delete(job.id);
      ringIn(againInMs + 1);
    }
  }

  /** Settles what has ended, and takes as many as there are free hands, `most` at most. */
  async settleAndTake(most: number): Promise<void> {
    const { pool, consumer, log } = this.#parts;
    const done = this.#ended;
    const free = Math.min(consumer.concurrency - this.#inWork.size + done.length, most);
    if (done.length + free === 0) return;
    this.#ended = [];
    try {
      const { rows } = await pool.query<Job>({
        ...settleAndTake,
        values: [consumer.name, done.map(({ id }) => id), done.map(({ retryCount }) => retryCount), free],
      });
      for (const { id } of done) this.#inWork.delete(id);
      for (const job of rows)
        this.#start(job).catch((error: unknown) =>
          log.warn({ err: error, consumer: consumer.name }, 'a message was not handled'),
        );
    } catch (error) {
      this.#ended = [...done, ...this.#ended];
      throw error;
    }
  }

  async #start(job: Job): Promise<void> {
    const { consumer, clock, log, bell } = this.#parts;
    this.#inWork.set(job.id, job);
    const { message, unreadable } = readJob(job, clock);
    const attempt = job.retryCount + 1;
    const outcome = await tryDelivery('postgres', consumer, { message, attempt }, { unreadable });
    if (outcome === 'done') this.#ended.push(job);
    else {
      this.#failed.push({ job, ...outcome });
      log.warn({ consumer: consumer.name, message: message.id, attempt, ...outcome }, 'a message will be tried again');
    }
    bell.ring();
  }
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

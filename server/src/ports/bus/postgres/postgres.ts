import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { PgBoss } from 'pg-boss';
import { type Clock, systemClock } from '../../../kernel/clock.ts';
import { type Ids, systemIds } from '../../../kernel/id.ts';
import { openListening } from '../../listening.ts';
import { sayWhy } from '../attempt.ts';
import type { Bell } from '../bell.ts';
import type { BusLog } from '../log.ts';
import type { Bus, Consumer, Consuming, Message, Published } from '../port.ts';
import { startPublishSpan } from '../spans.ts';
import { covers, type StreamPlans } from '../subjects.ts';
import { assertConsumer, encodeMessage } from '../wire.ts';
import { startPostgresConsumer } from './consumer.ts';
import { makeTransact } from './session.ts';
import {
  countWaiting,
  findAbandoned,
  findConsumers,
  forgetIds,
  keepConsumer,
  storeCopies,
  tellNews,
} from './statements.ts';

/**
 * The bus inside Postgres, for a machine that runs nothing else. Each durable consumer is a queue of pg-boss, and
 * publishing copies a message into the queue of everyone who wants it, so that a slow consumer holds up nobody else.
 *
 * Why pg-boss and not graphile-worker. The promise that is hard to keep is order within a key while its head is being
 * retried. pg-boss has a queue policy for exactly that, and fences what a worker may still say about a message that was
 * taken from it. graphile-worker runs a named queue one by one too, but passes over a job that waits for its retry (three
 * jobs of which the first fails once ran as 1, 2, 3, 1), and holds the jobs of a crashed worker back for four hours. With
 * 20 000 messages of 2 000 keys waiting and 16 hands, on two busy cores, it ran 150 a second and this adapter 640; with 64
 * hands this adapter ran 3 900. What pg-boss lacks, delays below a second and news without polling for a loop of one's
 * own, are the two small things added here; and what is done for every message is [ours](postgres-statements.ts).
 *
 * Two tables stand beside those of pg-boss: who wants what, and which ids were stored during the last minutes.
 */
export interface PostgresBusOptions {
  readonly url: string;
  readonly streams: StreamPlans;
  readonly log: BusLog;
  readonly schema?: string;
  readonly clock?: Clock;
  readonly ids?: Ids;
  readonly connections?: number;
  /** How often messages of crashed instances are looked for. Whole seconds. */
  readonly sweepMs?: number;
}

interface ConsumerRow {
  readonly name: string;
  readonly subjects: readonly string[];
  readonly sign_of_life_s: number;
}
type Batch = ReadonlyMap<string, { readonly message: Message; readonly text: string }>;

const CHECK_QUEUE = 'bus-check';
const CHECK_WITHIN_MS = 5_000;
const LISTEN_WITHIN_MS = 10_000;
/** pg-boss never gives a message up by itself: tries are counted here, and only `dead` ends a message that failed. */
const WITHOUT_END = 2_000_000_000;
const SETUP_LOCK = 7_206_103_113;
const HOUSEKEEPING_MS = 60_000;

export async function openPostgresBus(options: PostgresBusOptions): Promise<Bus> {
  const { url, streams, log } = options;
  const clock = options.clock ?? systemClock;
  const ids = options.ids ?? systemIds;
  const schema = options.schema ?? 'bus';
  if (!/^[a-z][a-z0-9_]{0,40}$/.test(schema)) throw new Error(`${schema} is no name for the schema of a bus`);
  const channel = `${schema}_news`;
  const sweepS = Math.max(1, Math.round((options.sweepMs ?? 5_000) / 1_000));

  const openPool = (max: number, durability: 'on' | 'off') => {
    const opened = new pg.Pool({
      connectionString: url,
      // Our own statements name tables without a schema, and so stay constants. They are planned once, when a queue may be
      // empty: only a plan that goes by its indexes is as good on the day when a queue is long.
      options: `-c search_path=${schema} -c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c synchronous_commit=${durability}`,
      max,
      connectionTimeoutMillis: 5_000,
      idleTimeoutMillis: 60_000,
      query_timeout: 30_000,
      application_name: 'gpuaas-bus',
    });
    opened.on('error', (error) => log.warn({ reason: sayWhy(error) }, 'a connection of the bus was lost'));
    return opened;
  };
  // What was published is on disk when we say so. What became of it may get lost with the server: then it comes again.
  // One connection, because two batches at once on two could commit in the wrong order.
  const publishing = openPool(1, 'on');
  const pool = openPool(options.connections ?? 8, 'off');
  const boss = new PgBoss({
    db: { executeSql: (text, values) => pool.query(text, values) },
    schema,
    schedule: false,
    // A round of its own takes a dozen statements. We ask one question, and have it look after a queue that needs it.
    supervise: false,
    monitorIntervalSeconds: sweepS,
    maintenanceIntervalSeconds: HOUSEKEEPING_MS / 1_000,
    // We have no flows.
    flowIntervalSeconds: 3_600,
    persistWarnings: false,
  });
  boss.on('error', (error) => log.warn({ reason: sayWhy(error) }, 'the queues of the bus complain'));
  boss.on('warning', ({ message }) => log.info({ reason: message }, 'the queues of the bus have a hint'));
  const transact = makeTransact(pool);

  const bells = new Map<string, Set<Bell>>();
  const checks = new Map<string, () => void>();
  const listening = await setUp().catch(async (error: unknown) => {
    await boss.stop({ graceful: false, close: false }).catch(() => undefined);
    await Promise.all([publishing.end(), pool.end()]);
    throw error;
  });

  async function setUp() {
    await boss.start();
    await transact(async (db) => {
      await db.executeSql('select pg_advisory_xact_lock($1)', [SETUP_LOCK]);
      await db.executeSql(
        `create table if not exists consumer (
           name text primary key, subjects text[] not null, sign_of_life_s integer not null)`,
      );
      await db.executeSql(
        'create table if not exists seen (id text primary key, at timestamptz not null default now())',
      );
      await db.executeSql('create index if not exists seen_at on seen (at)');
    });
    await boss.createQueue(CHECK_QUEUE, { deleteAfterSeconds: 60, retentionSeconds: 60 });
    const opened = openListening({
      ...{ url, name: 'gpuaas-bus-listener', channels: [channel], log },
      heard(_, payload) {
        checks.get(payload)?.();
        for (const bell of bells.get(payload) ?? []) bell.ring();
      },
      back() {
        for (const ringing of bells.values()) for (const bell of ringing) bell.ring();
      },
    });
    try {
      await opened.catchUp(LISTEN_WITHIN_MS);
      return opened;
    } catch (error) {
      await opened.close();
      throw error;
    }
  }

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
  /** Only who consumes looks after the queues. */
  let caring: Promise<unknown> | undefined;
  const care = () =>
    Promise.all([
      repeat(sweepS * 1_000, 'messages of the dead could not be looked for', sweep),
      repeat(HOUSEKEEPING_MS, 'the queues could not be tidied up', keepHouse),
    ]);

  const retentionS = (subject: string): number => {
    const plan = Object.values(streams).find((stream) => covers(stream.subjects, subject));
    return (plan?.maxAgeDays ?? 7) * 86_400;
  };

  /**
   * Stores a batch as one transaction, and answers the ids that were there before. What nobody wants is not stored: it
   * would wait for nobody, and most events are of that kind.
   */
  const store = async (batch: Batch): Promise<ReadonlySet<string>> => {
    const { rows: consumers } = await publishing.query<ConsumerRow>(findConsumers);
    const copies = [...batch.values()].flatMap(({ message, text }) =>
      consumers
        .filter(({ subjects }) => subjects.some((pattern) => covers(pattern, message.subject)))
        .map(({ name, sign_of_life_s }) => ({ name, signOfLifeS: sign_of_life_s, message, text, jobId: ids.next() })),
    );
    if (copies.length === 0) return new Set();
    const { rows } = await publishing.query<{ fresh: string[] }>({
      ...storeCopies,
      values: [
        copies.map(({ jobId }) => jobId),
        copies.map(({ name }) => name),
        copies.map(({ signOfLifeS }) => signOfLifeS),
        copies.map(({ message }) => message.id),
        copies.map(({ message }) => message.subject),
        copies.map(({ message }) => message.key),
        copies.map(({ text }) => text),
        copies.map(({ message }) => retentionS(message.subject)),
        channel,
      ],
    });
    const fresh = new Set(rows[0]?.fresh);
    return new Set(copies.map(({ message }) => message.id).filter((id) => !fresh.has(id)));
  };

  const publishBatch = async (messages: readonly Message[]): Promise<Published[]> => {
    const batch = new Map<string, { message: Message; text: string }>();
    const results: (Published | string)[] = messages.map((message) => {
      const encoded = encodeMessage(message, streams);
      if ('refused' in encoded) return encoded;
      if (batch.has(message.id)) return 'duplicate';
      batch.set(message.id, { message, text: encoded.text });
      return message.id;
    });
    if (batch.size === 0) return results as Published[];
    const spans = [...batch.values()].map(({ message }) => startPublishSpan('postgres', message));
    try {
      const known = await store(batch);
      for (const span of spans) span.end();
      return results.map((result) => {
        if (typeof result !== 'string' || result === 'duplicate') return result as Published;
        return known.has(result) ? 'duplicate' : 'stored';
      });
    } catch (error) {
      for (const span of spans) span.end(sayWhy(error));
      throw error;
    }
  };

  let lastBatch: Promise<unknown> = Promise.resolve();
  const publish = (messages: readonly Message[]): Promise<Published[]> => {
    const batch = lastBatch.then(
      () => publishBatch(messages),
      () => publishBatch(messages),
    );
    lastBatch = batch;
    batch.catch(() => undefined);
    return batch;
  };

  const consumings = new Set<Consuming>();
  const consume = async (consumer: Consumer): Promise<Consuming> => {
    assertConsumer(consumer, streams);
    const { name, subjects } = consumer;
    await boss.createQueue(name, {
      policy: 'key_strict_fifo',
      retryLimit: WITHOUT_END,
      retryDelay: 0,
      expireInSeconds: 86_400,
    });
    await publishing.query({
      ...keepConsumer,
      values: [name, [...subjects], Math.max(1, Math.ceil(consumer.ackWaitMs / 1_000))],
    });
    caring ??= care();
    const { bell, close } = startPostgresConsumer({ boss, pool, transact, consumer, clock, log });
    const ringing = bells.get(name) ?? new Set();
    bells.set(name, ringing.add(bell));
    const consuming: Consuming = {
      async lag() {
        const { rows } = await pool.query<{ count: number }>({ ...countWaiting, values: [name] });
        return rows[0]?.count ?? 0;
      },
      async close() {
        ringing.delete(bell);
        consumings.delete(consuming);
        await close();
      },
    };
    consumings.add(consuming);
    return consuming;
  };

  return {
    publish,
    consume,
    /** Stores and finds a message, and hears of it on the connection that wakes consumers. */
    async check() {
      const id = randomUUID();
      const done = new AbortController();
      const heard = new Promise<void>((resolve) => checks.set(id, resolve));
      try {
        await boss.insert(CHECK_QUEUE, [{ id, data: {} }]);
        await pool.query({ ...tellNews, values: [channel, id] });
        const tooLate = clock.sleep(CHECK_WITHIN_MS, done.signal).then(() => {
          throw new Error('the bus stored a message but sent no news of it');
        });
        await Promise.race([heard, tooLate]);
        const found = await boss.findJobs(CHECK_QUEUE, { id });
        if (found.length !== 1) throw new Error('the bus did not give back what it took');
        await boss.deleteJob(CHECK_QUEUE, id);
      } finally {
        done.abort(new Error('checked'));
        checks.delete(id);
      }
    },
    async close() {
      await Promise.all([...consumings].map((consuming) => consuming.close()));
      await lastBatch.catch(() => undefined);
      closing.abort();
      await caring;
      await listening.close();
      await boss.stop({ graceful: false, close: false }).catch(() => undefined);
      await Promise.all([publishing.end(), pool.end()]);
    },
  };
}

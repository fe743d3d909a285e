import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { type JobInsert, PgBoss } from 'pg-boss';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import { type Ids, systemIds } from '../../kernel/id.ts';
import { sayWhy } from './attempt.ts';
import type { Bell } from './bell.ts';
import type { BusLog } from './log.ts';
import type { Bus, Consumer, Consuming, Message, Published } from './port.ts';
import { type Stored, startPostgresConsumer } from './postgres-consumer.ts';
import { makeTransact, openListener } from './postgres-session.ts';
import { startPublishSpan } from './spans.ts';
import { covers, type StreamPlans } from './subjects.ts';
import { assertConsumer, encodeMessage } from './wire.ts';

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
 * own, are the two small things added here.
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

const wants = ({ subjects }: ConsumerRow, subject: string): boolean =>
  subjects.some((pattern) => covers(pattern, subject));
type Batch = ReadonlyMap<string, { readonly message: Message; readonly text: string }>;

const CHECK_QUEUE = 'bus-check';
const CHECK_WITHIN_MS = 5_000;
const REMEMBER_IDS = '5 minutes';
/** pg-boss never gives a message up by itself: tries are counted here, and only `dead` ends a message that failed. */
const WITHOUT_END = 2_000_000_000;
const SETUP_LOCK = 7_206_103_113;
const HOUSEKEEPING_MS = 60_000;
/** Messages that an instance took and gives no sign of life for any more. */
const ABANDONED = `
  select distinct name from job
  where state = 'active' and heartbeat_on + heartbeat_seconds * interval '1 second' < now()`;

export async function openPostgresBus(options: PostgresBusOptions): Promise<Bus> {
  const { url, streams, log } = options;
  const clock = options.clock ?? systemClock;
  const ids = options.ids ?? systemIds;
  const schema = options.schema ?? 'bus';
  if (!/^[a-z][a-z0-9_]{0,40}$/.test(schema)) throw new Error(`${schema} is no name for the schema of a bus`);
  const channel = `${schema}_news`;
  const sweepS = Math.max(1, Math.round((options.sweepMs ?? 5_000) / 1_000));

  const pool = new pg.Pool({
    connectionString: url,
    // Our own statements name tables without a schema, and so stay constants.
    options: `-c search_path=${schema}`,
    max: options.connections ?? 8,
    connectionTimeoutMillis: 5_000,
    query_timeout: 30_000,
    application_name: 'gpuaas-bus',
  });
  pool.on('error', (error) => log.warn({ reason: sayWhy(error) }, 'a connection of the bus was lost'));
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
    await pool.end();
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
    return openListener({
      ...{ url, channel, clock, log },
      heard(payload) {
        checks.get(payload)?.();
        for (const bell of bells.get(payload) ?? []) bell.ring();
      },
      missed() {
        for (const ringing of bells.values()) for (const bell of ringing) bell.ring();
      },
    });
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
    for (const { name } of (await pool.query<{ name: string }>(ABANDONED)).rows) {
      await boss.supervise(name);
      await pool.query('select pg_notify($1, $2)', [channel, name]);
    }
  };
  const keepHouse = async () => {
    await boss.supervise();
    await pool.query('delete from seen where at < now() - $1::interval', [REMEMBER_IDS]);
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
   * Stores a batch as one transaction, and answers the ids that were new. What nobody wants is not stored: it would wait
   * for nobody, and most events are of that kind.
   */
  const store = async (batch: Batch): Promise<Set<string>> => {
    const { rows: consumers } = await pool.query<ConsumerRow>(
      'select name, subjects, sign_of_life_s from consumer order by name',
    );
    const wanted = new Map(
      [...batch].filter(([, { message }]) => consumers.some((consumer) => wants(consumer, message.subject))),
    );
    const unwanted = [...batch.keys()].filter((id) => !wanted.has(id));
    return new Set([...unwanted, ...(wanted.size > 0 ? await storeWanted(wanted, consumers) : [])]);
  };
  const storeWanted = (batch: Batch, consumers: readonly ConsumerRow[]): Promise<Set<string>> =>
    transact(async (db) => {
      // Sorted, so that two publishers of the same ids wait for each other instead of for ever.
      const { rows: fresh } = await db.executeSql(
        'insert into seen (id) select unnest($1::text[]) on conflict do nothing returning id',
        [[...batch.keys()].sort()],
      );
      const stored = new Set(fresh.map((row) => String(row['id'])));
      if (stored.size === 0) return stored;
      const woken: string[] = [];
      for (const consumer of consumers) {
        const { name, sign_of_life_s } = consumer;
        const jobs: JobInsert<Stored>[] = [];
        for (const { message, text } of batch.values()) {
          const { id, subject, key } = message;
          if (!stored.has(id) || !wants(consumer, subject)) continue;
          jobs.push({
            // Ids of one batch rise, and break the tie between messages of the same instant.
            id: ids.next(),
            data: { id, subject, key, envelope: text },
            singletonKey: key,
            heartbeatSeconds: sign_of_life_s,
            retentionSeconds: retentionS(subject),
          });
        }
        if (jobs.length === 0) continue;
        await boss.insert(name, jobs, { db });
        woken.push(name);
      }
      await db.executeSql('select pg_notify($1, name) from unnest($2::text[]) as name', [channel, woken]);
      return stored;
    });

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
      const stored = await store(batch);
      for (const span of spans) span.end();
      return results.map((result) => {
        if (typeof result !== 'string' || result === 'duplicate') return result as Published;
        return stored.has(result) ? 'stored' : 'duplicate';
      });
    } catch (error) {
      for (const span of spans) span.end(sayWhy(error));
      throw error;
    }
  };

  // One batch after the other: two at once on two connections could commit in the wrong order.
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
    await pool.query(
      `insert into consumer (name, subjects, sign_of_life_s) values ($1, $2, $3)
       on conflict (name) do update set subjects = excluded.subjects, sign_of_life_s = excluded.sign_of_life_s`,
      [name, [...subjects], Math.max(1, Math.ceil(consumer.ackWaitMs / 1_000))],
    );
    caring ??= care();
    const { bell, close } = startPostgresConsumer({ boss, transact, consumer, clock, log });
    const ringing = bells.get(name) ?? new Set();
    bells.set(name, ringing.add(bell));
    const consuming: Consuming = {
      async lag() {
        const { rows } = await pool.query<{ count: number }>(
          `select count(*)::int as count from job where name = $1 and state < 'completed'`,
          [name],
        );
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
        await pool.query('select pg_notify($1, $2)', [channel, id]);
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
      await pool.end();
    },
  };
}

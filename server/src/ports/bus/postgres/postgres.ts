import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { PgBoss } from 'pg-boss';
import { type Clock, systemClock } from '../../../kernel/clock.ts';
import { type Ids, systemIds } from '../../../kernel/id.ts';
import type { Adapted } from '../../adapter.ts';
import { sayWhy } from '../attempt.ts';
import type { BusLog } from '../log.ts';
import type { Bus, Consumer, Consuming } from '../port.ts';
import type { StreamPlans } from '../subjects.ts';
import { assertConsumer } from '../wire.ts';
import { HOUSEKEEPING_MS, startCare } from './care.ts';
import { startPostgresConsumer } from './consumer.ts';
import { type News, openNews } from './news.ts';
import { makePublish } from './publish.ts';
import { makeTransact, type Transact } from './session.ts';
import { countWaiting, keepConsumer, tellNews } from './statements.ts';

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

const CHECK_QUEUE = 'bus-check';
const CHECK_WITHIN_MS = 5_000;
/** pg-boss never gives a message up by itself: tries are counted here, and only `dead` ends a message that failed. */
const WITHOUT_END = 2_000_000_000;
const SETUP_LOCK = 7_206_103_113;

export async function openPostgresBus(options: PostgresBusOptions): Promise<Bus & Adapted> {
  const { url, streams, log } = options;
  const clock = options.clock ?? systemClock;
  const ids = options.ids ?? systemIds;
  const schema = options.schema ?? 'bus';
  if (!/^[a-z][a-z0-9_]{0,40}$/.test(schema)) throw new Error(`${schema} is no name for the schema of a bus`);
  const channel = `${schema}_news`;
  const sweepS = Math.max(1, Math.round((options.sweepMs ?? 5_000) / 1_000));

  // What was published is on disk when we say so. What became of it may get lost with the server: then it comes again.
  // One connection, because two batches at once on two could commit in the wrong order.
  const publishing = openPool(options, schema, 1, 'on');
  const pool = openPool(options, schema, options.connections ?? 8, 'off');
  const boss = makeBoss(pool, { schema, sweepS, log });
  const transact = makeTransact(pool);

  const news = await setUp().catch(async (error: unknown) => {
    await boss.stop({ graceful: false, close: false }).catch(() => undefined);
    await Promise.all([publishing.end(), pool.end()]);
    throw error;
  });
  async function setUp() {
    await boss.start();
    await makeTables(transact);
    await boss.createQueue(CHECK_QUEUE, { deleteAfterSeconds: 60, retentionSeconds: 60 });
    return openNews(url, channel, log);
  }

  let caring: ReturnType<typeof startCare> | undefined;
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
    caring ??= startCare({ boss, pool, channel, sweepMs: sweepS * 1_000, clock, log });
    const { bell, close } = startPostgresConsumer({ boss, pool, transact, consumer, clock, log });
    const leave = news.ring(name, bell);
    const consuming: Consuming = {
      async lag() {
        const { rows } = await pool.query<{ count: number }>({ ...countWaiting, values: [name] });
        return rows[0]?.count ?? 0;
      },
      async close() {
        leave();
        consumings.delete(consuming);
        await close();
      },
    };
    consumings.add(consuming);
    return consuming;
  };

  const { publish, settled } = makePublish({ publishing, streams, ids, channel });
  return {
    adapter: { name: 'postgres', kind: 'embedded' },
    publish,
    consume,
    check: () => checkBus({ boss, pool, channel, news, clock }),
    async close() {
      await Promise.all([...consumings].map((consuming) => consuming.close()));
      await settled();
      await caring?.close();
      await news.close();
      await boss.stop({ graceful: false, close: false }).catch(() => undefined);
      await Promise.all([publishing.end(), pool.end()]);
    },
  };
}

function openPool({ url, log }: PostgresBusOptions, schema: string, max: number, durability: 'on' | 'off'): pg.Pool {
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
}

function makeBoss(
  pool: pg.Pool,
  { schema, sweepS, log }: { readonly schema: string; readonly sweepS: number; readonly log: BusLog },
): PgBoss {
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
  return boss;
}

/** Stores and finds a message, and hears of it on the connection that wakes consumers. */
async function checkBus(parts: {
  readonly boss: PgBoss;
  readonly pool: pg.Pool;
  readonly channel: string;
  readonly news: News;
  readonly clock: Clock;
}): Promise<void> {
  const { boss, pool, news, clock } = parts;
  const id = randomUUID();
  const done = new AbortController();
  const word = news.expect(id);
  try {
    await boss.insert(CHECK_QUEUE, [{ id, data: {} }]);
    await pool.query({ ...tellNews, values: [parts.channel, id] });
    const tooLate = clock.sleep(CHECK_WITHIN_MS, done.signal).then(() => {
      throw new Error('the bus stored a message but sent no news of it');
    });
    await Promise.race([word.heard, tooLate]);
    const found = await boss.findJobs(CHECK_QUEUE, { id });
    if (found.length !== 1) throw new Error('the bus did not give back what it took');
    await boss.deleteJob(CHECK_QUEUE, id);
  } finally {
    done.abort(new Error('checked'));
    word.forget();
  }
}

/** Two tables stand beside those of pg-boss. Two processes may set them up at once. */
const makeTables = (transact: Transact): Promise<void> =>
  transact(async (db) => {
    await db.executeSql('select pg_advisory_xact_lock($1)', [SETUP_LOCK]);
    await db.executeSql(
      `create table if not exists consumer (
         name text primary key, subjects text[] not null, sign_of_life_s integer not null)`,
    );
    await db.executeSql('create table if not exists seen (id text primary key, at timestamptz not null default now())');
    await db.executeSql('create index if not exists seen_at on seen (at)');
  });

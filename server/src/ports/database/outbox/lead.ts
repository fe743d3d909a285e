import pg from 'pg';
import { sql } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';

/** How far a relay has read: the transactions of its round, and the last position within it. */
export interface Mark {
  readonly from: string;
  readonly to: string;
  readonly position: string;
}
/** One process leads each relay: it holds a lock, and reads and moves the mark over the connection of the lock. */
export interface Lead {
  /** Where the mark was when the lead was taken. */
  readonly mark: Mark;
  ask(statement: { name: string; text: string }, values: unknown[]): Promise<pg.QueryResult>;
  close(): Promise<void>;
}

const lockLead = sql('outbox-lead', 'select pg_advisory_lock(hashtextextended($1, 0))');
const loadMark = sql(
  'outbox-mark',
  `select transaction_from::text as "from", transaction_to::text as "to", position::text as position
   from relay_watermarks where relay = $1`,
);
const makeMark = sql(
  'outbox-first-mark',
  `insert into relay_watermarks (relay, transaction_from, transaction_to, position) values ($1, '0', '0', 0)
   on conflict (relay) do nothing`,
);
const ahead = sql('outbox-ahead', 'select $1::xid8 > pg_snapshot_xmax(pg_current_snapshot()) as ahead');

/** Transactions are counted by a server, and a dump does not carry the count along. */
const foreignMark = (relay: string): string =>
  `The mark of ${relay} is ahead of this server's transactions: the data come from another server. Set transaction_id in outbox_events and the mark in relay_watermarks to zero; everything kept is then published again.`;

const beginning: Mark = { from: '0', to: '0', position: '0' };
const answerWithinMs = 60_000;
const goodbyeWithinMs = 2_000;

/** Waits for the lock of the relay. */
export async function takeLead(
  parts: { readonly url: string; readonly clock: Clock },
  relay: string,
  signal: AbortSignal,
): Promise<Lead> {
  signal.throwIfAborted();
  // A connection of its own: the lock lives as long as it does, and losing it is losing the lead.
  const client = new pg.Client({
    connectionString: parts.url,
    application_name: `gpuaas ${relay}`,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    // The mark is saved while the next look is under way.
    pipeline: true,
  } as pg.ClientConfig);
  let lost: Error | undefined;
  client.on('error', (error) => {
    lost = error;
  });
  const hangUp = () => client.connection.stream.destroy();
  signal.addEventListener('abort', hangUp, { once: true });
  const close = async () => {
    signal.removeEventListener('abort', hangUp);
    const patience = new AbortController();
    const tooLong = parts.clock.sleep(goodbyeWithinMs, patience.signal).catch(() => undefined);
    await Promise.race([client.end().catch(() => undefined), tooLong]);
    patience.abort();
    hangUp();
  };
  const ask = async (statement: { name: string; text: string }, values: unknown[]) => {
    if (lost) throw lost;
    return client.query({ ...statement, values, query_timeout: answerWithinMs } as pg.QueryConfig);
  };
  let mark: Mark;
  try {
    await client.connect();
    // Losing the last mark only repeats a few publishes, which the bus drops by id.
    await client.query('set synchronous_commit = off');
    // Planned once, and by the indexes: how many events are kept must not matter to those that come.
    await client.query('set plan_cache_mode = force_generic_plan');
    await client.query('set enable_seqscan = off');
    // A leader whose machine is gone says no goodbye: Postgres asks after it, or the next one would wait for hours.
    await client.query('set tcp_keepalives_idle = 10');
    await client.query('set tcp_keepalives_interval = 5');
    await client.query('set tcp_keepalives_count = 3');
    await client.query({ ...lockLead, values: [`gpuaas relay ${relay}`] });
    await ask(makeMark, [relay]);
    mark = ((await ask(loadMark, [relay])).rows[0] as Mark | undefined) ?? beginning;
    const { rows } = await ask(ahead, [mark.to]);
    if ((rows[0] as { ahead: boolean }).ahead) throw new Error(foreignMark(relay));
  } catch (error) {
    // Whatever was reached must be let go: a connection that nobody knows would keep the lead for ever.
    await close();
    signal.throwIfAborted();
    throw error;
  }
  return { mark, ask, close };
}

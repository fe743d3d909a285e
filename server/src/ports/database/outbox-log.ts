import pg, { type Pool } from 'pg';
import { sql } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { OutboxLog, OutboxReader, OutboxRow } from './port.ts';
import { sqlState } from './transaction.ts';

/**
 * Reads the outbox in an order that never skips anyone.
 *
 * Positions are handed out when a row is inserted, not when it commits: a transaction that took position 5 may commit
 * long after the one that took 6. A reader that remembers "I have seen 6" would lose 5. So the reader works in rounds.
 * A round takes all transactions below the oldest one that is still running (`pg_snapshot_xmin`): they are all over,
 * and nothing can be added to them. Inside a round, rows go out by position, which is the order in which writers of
 * one key held their row lock. The next round begins where this one ended. The state is three numbers; nothing is
 * updated per event, so the table has no dead rows.
 */
const takeLead = sql('outbox-lead', 'select pg_advisory_lock(hashtextextended($1, 0))');
const loadMark = sql(
  'outbox-mark',
  `select transaction_from::text as "from", transaction_to::text as "to", position::text as position
   from relay_watermarks where relay = $1`,
);
const saveMark = sql(
  'outbox-save',
  `insert into relay_watermarks (relay, transaction_from, transaction_to, position) values ($1, $2::xid8, $3::xid8, $4)
   on conflict (relay) do update set transaction_from = excluded.transaction_from,
     transaction_to = excluded.transaction_to, position = excluded.position, updated_at = clock_timestamp()`,
);
const horizon = sql(
  'outbox-horizon',
  `select h.xid::text as "to", (
     select (min(position) - 1)::text from outbox_events where transaction_id >= $1::xid8 and transaction_id < h.xid
   ) as position
   from (select pg_snapshot_xmin(pg_current_snapshot()) as xid) h`,
);
// "is true" keeps the planner on the primary key: the rows of a round are nearly contiguous there.
const nextRows = sql(
  'outbox-next',
  `select position::text as position, message_id as "messageId", subject, key, envelope
   from outbox_events
   where position > $3 and (transaction_id >= $1::xid8) is true and (transaction_id < $2::xid8) is true
   order by outbox_events.position limit $4`,
);
const countBacklog = sql(
  'outbox-backlog',
  `with mark as (
     select coalesce(max(transaction_from), '0'::xid8) as "from", coalesce(max(transaction_to), '0'::xid8) as "to",
       coalesce(max(position), 0) as position
     from relay_watermarks where relay = $1
   ), waiting as (
     select e.created_at from outbox_events e, mark
     where e.transaction_id >= mark."from" and not (e.transaction_id < mark."to" and e.position <= mark.position)
     limit 100000
   )
   select count(*)::int as pending, min(created_at) as oldest from waiting`,
);
const forgetMark = sql(
  'outbox-rewind',
  `update relay_watermarks set transaction_from = '0', transaction_to = '0', position = 0 where relay = $1`,
);
const sweepEvents = sql(
  'outbox-sweep',
  `delete from outbox_events where position in (
     select e.position from outbox_events e, relay_watermarks m
     where m.relay = $1 and e.transaction_id < m.transaction_from and e.created_at < $2
     order by e.position limit $3
   )`,
);

export const commitChannel = 'gpuaas_outbox';

export function makeOutboxLog(parts: {
  readonly url: string;
  readonly pool: Pool;
  readonly clock: Clock;
  readonly listen: (channel: string, listener: () => void) => Promise<{ close(): Promise<void> }>;
}): OutboxLog {
  const { pool } = parts;

  async function lead(relay: string, signal: AbortSignal): Promise<OutboxReader> {
    signal.throwIfAborted();
    // A connection of its own: the lock lives as long as it does, and losing it is losing the lead.
    const client = new pg.Client({ connectionString: parts.url, application_name: `gpuaas ${relay}` });
    let lost: Error | undefined;
    client.on('error', (error) => {
      lost = error;
    });
    const stop = () => client.connection.stream.destroy();
    signal.addEventListener('abort', stop, { once: true });
    try {
      await client.connect();
      // Losing the last mark only repeats a few publishes, which the bus drops by id.
      await client.query('set synchronous_commit = off');
      await client.query({ ...takeLead, values: [`gpuaas relay ${relay}`] });
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    }
    const ask = async (statement: { name: string; text: string }, values: unknown[]) => {
      if (lost) throw lost;
      return client.query({ ...statement, values });
    };
    let mark = ((await ask(loadMark, [relay])).rows[0] as Mark | undefined) ?? { from: '0', to: '0', position: '0' };
    return {
      async next(limit) {
        for (;;) {
          if (BigInt(mark.to) > BigInt(mark.from)) {
            const { rows } = await ask(nextRows, [mark.from, mark.to, mark.position, limit]);
            if (rows.length > 0) return rows as OutboxRow[];
            mark = { from: mark.to, to: mark.to, position: mark.position };
            await ask(saveMark, [relay, mark.from, mark.to, mark.position]);
          }
          const { rows } = await ask(horizon, [mark.from]);
          const round = rows[0] as { to: string; position: string | null };
          if (round.position === null) return [];
          mark = { from: mark.from, to: round.to, position: round.position };
        }
      },
      async settle(position) {
        mark = { ...mark, position };
        await ask(saveMark, [relay, mark.from, mark.to, mark.position]);
      },
      async close() {
        signal.removeEventListener('abort', stop);
        await client.end().catch(() => undefined);
      },
    };
  }

  return {
    lead,
    onCommit: (listener) => parts.listen(commitChannel, listener),
    async backlog(relay) {
      const { rows } = await pool.query({ ...countBacklog, values: [relay] });
      const { pending, oldest } = rows[0] as { pending: number; oldest: Date | null };
      const ageMs = oldest ? parts.clock.now().getTime() - oldest.getTime() : 0;
      return { pending, oldestAgeSeconds: Math.max(0, ageMs / 1_000) };
    },
    async rewind(relay) {
      await pool.query({ ...forgetMark, values: [relay] });
    },
    async sweep(relay, olderThan, limit) {
      const { rowCount } = await pool.query({ ...sweepEvents, values: [relay, olderThan, limit] });
      return rowCount ?? 0;
    },
  };
}

interface Mark {
  readonly from: string;
  readonly to: string;
  readonly position: string;
}

/** Whether an error means that the connection or the server went away. */
export const isOutage = (error: unknown): boolean => {
  const state = sqlState(error);
  return state === undefined || state.startsWith('08') || state.startsWith('57P');
};

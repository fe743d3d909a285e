import pg, { type Pool } from 'pg';
import { sql } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { OutboxLog, OutboxReader, OutboxRow } from './port.ts';

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
const makeMark = sql(
  'outbox-first-mark',
  `insert into relay_watermarks (relay, transaction_from, transaction_to, position) values ($1, '0', '0', 0)
   on conflict (relay) do nothing`,
);
// Moves the mark only from where this reader left it: a rewind in the meantime wins.
const saveMark = sql(
  'outbox-save',
  `update relay_watermarks set transaction_from = $2::xid8, transaction_to = $3::xid8, position = $4,
     updated_at = clock_timestamp()
   where relay = $1 and transaction_from = $5::xid8 and transaction_to = $6::xid8 and position = $7`,
);
// One question for the next round: notes that the one before it is over, and answers where this one ends, whether the mark
// was still ours, whether there are rows beyond its end, and its first rows. Those are found by their transactions, and
// read in the order of the primary key, where the rows of a round are nearly contiguous: "+ 0" and "is true" keep the
// planner from looking for either in the other index, which would pass by everything that is kept.
const nextRound = sql(
  'outbox-round',
  `with moved as (
     update relay_watermarks m set transaction_from = $5::xid8, transaction_to = $5::xid8, position = $6,
       updated_at = clock_timestamp()
     where m.relay = $1 and m.transaction_from = $2::xid8 and m.transaction_to = $3::xid8 and m.position = $4
       and ($2::xid8 <> $5::xid8 or $3::xid8 <> $5::xid8)
     returning m.relay
   ), round as materialized (
     select pg_snapshot_xmin(pg_current_snapshot()) as "to", exists (select from moved) or (
       select m.transaction_from = $5::xid8 and m.transaction_to = $5::xid8 and m.position = $4
       from relay_watermarks m where m.relay = $1
     ) as ours, exists (
       select from outbox_events l where l.transaction_id >= pg_snapshot_xmin(pg_current_snapshot())
     ) as later
   )
   select round."to"::text as "to", round.ours, round.later, e.position::text as position, e.message_id as "messageId", e.subject,
     e.key, e.envelope
   from round left join lateral (
     select o.position, o.message_id, o.subject, o.key, o.envelope from outbox_events o
     where o.position >= (
         select min(f.position + 0) from outbox_events f
         where f.transaction_id >= $5::xid8 and f.transaction_id < round."to"
       ) and (o.transaction_id >= $5::xid8) is true and (o.transaction_id < round."to") is true
     order by o.position limit $7
   ) e on true
   order by e.position`,
);
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
const ahead = sql('outbox-ahead', 'select $1::xid8 > pg_snapshot_xmax(pg_current_snapshot()) as ahead');
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

const wakeRelay = sql('outbox-wake', 'select pg_notify($1, $2)');

export const commitChannel = 'gpuaas_outbox';

/** Transactions are counted by a server, and a dump does not carry the count along. */
const foreignMark = (relay: string): string =>
  `The mark of ${relay} is ahead of this server's transactions: the data come from another server. Set transaction_id in outbox_events and the mark in relay_watermarks to zero; everything kept is then published again.`;

const beginning: Mark = { from: '0', to: '0', position: '0' };
const answerWithinMs = 60_000;
const goodbyeWithinMs = 2_000;

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
    let saved: Mark;
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
      await client.query({ ...takeLead, values: [`gpuaas relay ${relay}`] });
      await ask(makeMark, [relay]);
      saved = ((await ask(loadMark, [relay])).rows[0] as Mark | undefined) ?? beginning;
      const { rows } = await ask(ahead, [saved.to]);
      if ((rows[0] as { ahead: boolean }).ahead) throw new Error(foreignMark(relay));
    } catch (error) {
      // Whatever was reached must be let go: a connection that nobody knows would keep the lead for ever.
      await close();
      signal.throwIfAborted();
      throw error;
    }
    let mark = saved;
    // Whether the round may hold more than was handed out: always, until a look has found it empty or short.
    let open = BigInt(mark.to) > BigInt(mark.from);
    let handedOut: string | undefined;
    let heldUp = false;

    async function save(next: Mark): Promise<void> {
      const before = saved;
      // The next look is sent behind this, and finds the mark where this has put it.
      saved = next;
      mark = next;
      const { rowCount } = await ask(saveMark, [
        ...[relay, next.from, next.to, next.position],
        ...[before.from, before.to, before.position],
      ]);
      if (rowCount !== 1) throw new Error('the mark was moved by another process');
    }
    function handOut(rows: OutboxRow[], limit: number): OutboxRow[] {
      open = rows.length === limit;
      handedOut = rows.at(-1)?.position;
      return rows;
    }
    return {
      async next(limit) {
        // What was handed out and not settled is handed out again.
        if (open || handedOut !== undefined) {
          const { rows } = await ask(nextRows, [mark.from, mark.to, mark.position, limit]);
          if (rows.length > 0) return handOut(rows as OutboxRow[], limit);
        }
        const from = mark.to;
        const before = saved;
        const isNoted = before.from === from && before.to === from;
        saved = isNoted ? before : { from, to: from, position: mark.position };
        const { rows } = await ask(nextRound, [
          ...[relay, before.from, before.to, before.position],
          ...[from, saved.position, limit],
        ]);
        const found = rows as (OutboxRow & {
          readonly to: string;
          readonly ours: boolean | null;
          readonly later: boolean;
        })[];
        const [first] = found;
        heldUp = first?.later ?? false;
        if (!first?.ours) throw new Error('the mark was moved by another process');
        if (first.position === null) {
          mark = saved;
          open = false;
          return [];
        }
        mark = { from, to: first.to, position: String(BigInt(first.position) - 1n) };
        return handOut(
          found.map(({ to: _to, ours: _ours, later: _later, ...row }) => row),
          limit,
        );
      },
      isHeldUp: () => heldUp,
      settle(position) {
        if (position === handedOut) handedOut = undefined;
        else open = true;
        const next = { ...mark, position };
        // The next look notes that a round is over. Only within a long one it is worth noting how far it went.
        if (open) return save(next);
        mark = next;
        return Promise.resolve();
      },
      close,
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
      await pool.query({ ...wakeRelay, values: [commitChannel, ''] });
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

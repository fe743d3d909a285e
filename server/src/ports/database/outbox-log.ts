import type { Pool } from 'pg';
import { sql } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import { takeLead } from './outbox/lead.ts';
import { makeOutboxReader } from './outbox/reader.ts';
import type { OutboxLog } from './port.ts';

/**
 * Reads the outbox in an order that never skips anyone.
 *
 * Positions are handed out when a row is inserted, not when it commits: a transaction that took position 5 may commit
 * long after the one that took 6. A reader that remembers "I have seen 6" would lose 5. So the reader works in rounds.
 * A round takes all transactions below the oldest one that is still running (`pg_snapshot_xmin`): they are all over,
 * and nothing can be added to them. Inside a round, rows go out by position, which is the order in which writers of
 * one key held their row lock. The next round begins where this one ended. The state is three numbers; nothing is
 * updated per event, so the table has no dead rows. [reader.ts](outbox/reader.ts) has the rounds.
 */
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
     select e.position from relay_watermarks m, outbox_events e
       left join unnest($3::text[], $4::timestamptz[]) as s (prefix, older_than) on starts_with(e.subject, s.prefix)
     where m.relay = $1 and e.transaction_id < m.transaction_from and e.created_at < $2
       and e.created_at < coalesce(s.older_than, $2)
       and not exists (select from dead_letters d where d.position = e.position and d.state = 'open')
     order by e.position limit $5
   )`,
);

const wakeRelay = sql('outbox-wake', 'select pg_notify($1, $2)');

export const commitChannel = 'gpuaas_outbox';

export function makeOutboxLog(parts: {
  readonly url: string;
  readonly pool: Pool;
  readonly clock: Clock;
  readonly listen: (channel: string, listener: () => void) => Promise<{ close(): Promise<void> }>;
}): OutboxLog {
  const { pool } = parts;

  return {
    lead: async (relay, signal) => makeOutboxReader(relay, await takeLead(parts, relay, signal)),
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
    async sweep(relay, { olderThan, streams }, limit) {
      const ages = [streams.map(({ prefix }) => prefix), streams.map((stream) => stream.olderThan)];
      const { rowCount } = await pool.query({ ...sweepEvents, values: [relay, olderThan, ...ages, limit] });
      return rowCount ?? 0;
    },
  };
}

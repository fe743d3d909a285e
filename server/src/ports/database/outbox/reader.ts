import { sql } from '../../../kernel/act.ts';
import type { OutboxReader, OutboxRow } from '../port.ts';
import type { Lead, Mark } from './lead.ts';

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

/** Reads the outbox in rounds (see [outbox-log.ts](../outbox-log.ts)), for the process that leads the relay. */
export function makeOutboxReader(relay: string, lead: Lead): OutboxReader {
  const { ask } = lead;
  /** What the table has, and where the reader stands. */
  let saved = lead.mark;
  let mark = lead.mark;
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
    close: lead.close,
  };
}

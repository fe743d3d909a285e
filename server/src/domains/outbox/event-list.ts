import { adminEventList, type Envelope, type LoggedEvent } from '@gpuaas/contract';
import { type Database, handlers, type ReadTx, sql } from '../../kernel/act.ts';
import { readPage } from '../../kernel/page.ts';
import { relayName } from './relay.ts';

// What lies before the mark of the relay is on the bus (see outbox-log.ts for what the three numbers mean).
const listSql = sql(
  'outbox-list',
  `select e.position::text as position, e.event_id, e.subject, e.key, e.organization_id, e.envelope, e.created_at,
     coalesce(e.transaction_id < m.transaction_from
       or (e.transaction_id < m.transaction_to and e.position <= m.position), false) as is_published
   from outbox_events e left join relay_watermarks m on m.relay = $1
   where (e.organization_id is null or mine(e.organization_id)) and ($2::bigint is null or e.position < $2)
     and ($3::text is null or e.subject = $3 or starts_with(e.subject, $3 || '.'))
     and ($4::text is null or e.key = $4) and ($5::uuid is null or e.organization_id = $5)
   order by e.position desc limit $6`,
);
const backlogSql = sql(
  'outbox-waiting',
  `select count(*)::int as pending, min(e.created_at) as oldest from outbox_events e
   where (e.organization_id is null or mine(e.organization_id)) and e.transaction_id >= (
     select coalesce(max(transaction_from), '0'::xid8) from relay_watermarks where relay = $1
   ) and not exists (
     select from relay_watermarks m
     where m.relay = $1 and e.transaction_id < m.transaction_to and e.position <= m.position
   )`,
);
const oldestSql = sql(
  'outbox-oldest-waiting',
  `select e.subject from outbox_events e
   where (e.organization_id is null or mine(e.organization_id)) and e.transaction_id >= (
     select coalesce(max(transaction_from), '0'::xid8) from relay_watermarks where relay = $1
   ) and not exists (
     select from relay_watermarks m
     where m.relay = $1 and e.transaction_id < m.transaction_to and e.position <= m.position
   ) order by e.created_at limit 1`,
);
const openLettersSql = sql(
  'dead-letters-open',
  `select count(*)::int as open, min(created_at) as oldest from dead_letters
   where state = 'open' and (organization_id is null or mine(organization_id))`,
);

interface Row {
  readonly position: string;
  readonly event_id: string;
  readonly subject: string;
  readonly key: string;
  readonly organization_id: string | null;
  readonly envelope: Envelope;
  readonly created_at: Date;
  readonly is_published: boolean;
}
const show = ({ subject, ...row }: Row): LoggedEvent => ({
  ...row,
  event_type: subject,
  project_id: row.envelope.project_id ?? null,
  correlation_id: row.envelope.correlation_id,
  created_at: row.created_at.toISOString(),
});

/** What waits for the relay, and what was given up: how the way of the events is. */
export async function readBacklog(tx: ReadTx) {
  const [waiting] = await tx.rows<{ pending: number; oldest: Date | null }>(backlogSql, [relayName]);
  const [first] = waiting?.pending ? await tx.rows<{ subject: string }>(oldestSql, [relayName]) : [];
  const [letters] = await tx.rows<{ open: number; oldest: Date | null }>(openLettersSql);
  return {
    pending: waiting?.pending ?? 0,
    oldestPendingAt: waiting?.oldest ?? undefined,
    oldestPendingType: first?.subject,
    deadLetters: letters?.open ?? 0,
    oldestDeadLetterAt: letters?.oldest ?? undefined,
  };
}

const on = handlers<{ readonly db: Database }>();

export const list = on(adminEventList, ({ db }, who, { query }) =>
  readPage({
    name: 'events',
    query,
    key: 'number',
    read: (before, limit) =>
      db.read(who, (tx) =>
        tx.rows<Row>(listSql, [
          ...[relayName, before ?? null, query.type ?? null],
          ...[query.about ?? null, query.organization_id ?? null, limit],
        ]),
      ),
    keyOf: (row) => row.position,
    show,
  }),
);

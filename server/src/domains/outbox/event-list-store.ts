import { sql } from '../../kernel/act.ts';

// What lies before the mark of the relay is on the bus (see outbox-log.ts for what the three numbers mean).
export const listSql = sql(
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
export const backlogSql = sql(
  'outbox-waiting',
  `select count(*)::int as pending, min(e.created_at) as oldest from outbox_events e
   where (e.organization_id is null or mine(e.organization_id)) and e.transaction_id >= (
     select coalesce(max(transaction_from), '0'::xid8) from relay_watermarks where relay = $1
   ) and not exists (
     select from relay_watermarks m
     where m.relay = $1 and e.transaction_id < m.transaction_to and e.position <= m.position
   )`,
);
export const oldestSql = sql(
  'outbox-oldest-waiting',
  `select e.subject from outbox_events e
   where (e.organization_id is null or mine(e.organization_id)) and e.transaction_id >= (
     select coalesce(max(transaction_from), '0'::xid8) from relay_watermarks where relay = $1
   ) and not exists (
     select from relay_watermarks m
     where m.relay = $1 and e.transaction_id < m.transaction_to and e.position <= m.position
   ) order by e.created_at limit 1`,
);
export const openLettersSql = sql(
  'dead-letters-open',
  `select count(*)::int as open, min(created_at) as oldest from dead_letters
   where state = 'open' and (organization_id is null or mine(organization_id))`,
);

import { sql } from '../../kernel/act.ts';

export const depthSql = sql(
  'dead-letter-depth',
  `select split_part(subject, '.', 2) as stream, count(*)::int as depth
  from dead_letters where state = 'open' group by 1`,
);
// What a consumer has done must be remembered for as long as the event can come back: from the outbox that is replayed,
// or from a dead letter that is requeued. A day is left for clocks that disagree.
export const forget = sql(
  'consumed-forget',
  `with kept as (
     select least($1::timestamptz, (
         select e.created_at from outbox_events e where not exists (
           select from dead_letters l where l.position = e.position and l.state = 'open'
         ) order by e.position limit 1
       ))
       - interval '1 day' as since
   )
   delete from consumed_events where (consumer, event_id) in (
     select c.consumer, c.event_id from consumed_events c, kept
     where c.consumed_at < kept.since and not exists (
       select from dead_letters d where d.event_id = c.event_id and (d.state = 'open' or d.settled_at >= kept.since)
     ) limit $2
   )`,
);

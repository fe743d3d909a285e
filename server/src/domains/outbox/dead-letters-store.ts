import { sql } from '../../kernel/act.ts';

export const insert = sql(
  'dead-letter-insert',
  `insert into dead_letters
     (event_id, subject, origin, consumer, organization_id, key, envelope, attempts, reason, position)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
   on conflict (event_id, coalesce(consumer, '')) where state = 'open' do nothing`,
);
/** The letter of a forged message gives way to the one of the real event. */
export const confirm = sql('dead-letter-confirm', 'select dead_letter_confirm($1, $2, $3, $4, $5) as confirmed');
export const list = sql(
  'dead-letter-list',
  `select seq::text as seq, event_id, subject, origin, consumer, organization_id, envelope, attempts, reason,
     state, created_at, settled_at
   from dead_letters
   where state = $1 and ($2::text is null or origin = $2) and ($3::text is null or starts_with(subject, $3))
     and ($4::bigint is null or seq < $4)
   order by dead_letters.seq desc limit $5`,
);
export const bySeq = sql(
  'dead-letter-get',
  `select seq::text as seq, event_id, subject, origin, consumer, organization_id, envelope, attempts, reason,
     state, created_at, settled_at
   from dead_letters where dead_letters.seq = $1`,
);
export const byEvent = sql(
  'dead-letter-of-event',
  `select seq::text as seq, event_id, subject, origin, consumer, organization_id, envelope, attempts, reason,
     state, created_at, settled_at
   from dead_letters where event_id = $1 and origin = 'publish' order by dead_letters.seq desc limit 1`,
);
export const lock = sql('dead-letter-lock', 'select state, version from dead_letters where seq = $1 for update');
export const move = sql(
  'dead-letter-move',
  'update dead_letters set state = $2, version = $3, settled_at = act_time() where seq = $1',
);
export const rewindRelay = sql('outbox-rewind-all', 'select outbox_rewind() as events');
export const requeueEvent = sql('dead-letter-requeue', 'select outbox_requeue_committed($1::bigint) as requeued');

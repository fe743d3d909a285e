import { sql } from '../../kernel/act.ts';

/**
 * What happens for every message, as one statement each, in the tables of the queue library.
 *
 * The library writes the same in several statements whose text it makes anew, so that PostgreSQL parses and plans each
 * time; that took more than to do it. These have names, and are planned once per connection. They rely on the columns
 * of the version that is pinned, and the suite of the port runs against it. Whatever is rare is left to the library:
 * queues, tries that failed, signs of life, messages of the dead.
 *
 * Tables are named without a schema. No order of joins depends on how many rows the planner expects, because it expects
 * the same for one message and for a thousand: "is true" keeps it from making a join of a look into a small hash table.
 */

/**
 * Copies messages into the queue of everyone who wants them, and wakes those. Asking who wants what in the same breath
 * leaves no moment in which a new consumer could miss something. What nobody wants is not stored: it would wait for
 * nobody, and most events are of that kind. Ids are inserted in order, so that two publishers of the same ones wait for
 * each other instead of for ever. Job ids rise, and break the tie between messages of the same instant.
 */
export const publishMessages = sql(
  'bus-publish',
  `with message as materialized (
     select * from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::int[])
       as m (job_id, id, subject, key, envelope, keep_s)
   ), wanted as materialized (
     select c.name, c.sign_of_life_s, s.subject from (select distinct subject from message) s join consumer c on exists (
       select from unnest(c.subjects) as p (pattern)
       where pattern in ('>', s.subject) or (pattern like '%.>' and starts_with(s.subject, left(pattern, -1)))
     )
   ), fresh as (
     insert into seen (id)
     select m.id from message m where (m.subject in (select subject from wanted)) is true order by m.id
     on conflict do nothing returning id
   ), stored as (
     insert into job_common (id, name, data, singleton_key, keep_until, heartbeat_seconds, policy, retry_limit,
       retry_delay, retry_backoff, expire_seconds, deletion_seconds)
     select m.job_id, w.name,
       jsonb_build_object('id', m.id, 'subject', m.subject, 'key', m.key, 'envelope', m.envelope),
       m.key, now() + m.keep_s * interval '1 second', w.sign_of_life_s, q.policy, q.retry_limit,
       q.retry_delay, q.retry_backoff, q.expire_seconds, q.deletion_seconds
     from message m join wanted w on w.subject = m.subject join queue q on q.name = w.name
     where (m.id in (select id from fresh)) is true
     returning name
   )
   select array(
     select m.id from message m
     where (m.subject in (select subject from wanted)) is true and m.id not in (select id from fresh)
   ) as duplicates, (select count(pg_notify($7, s.name)) from (select distinct name from stored) s) as woken`,
);

/**
 * Lets go of what is done, and takes the heads of as many keys as there are free hands. A message is let go only by the
 * try that had it: one that was given to somebody else meanwhile stays theirs. Behind a head that waits for its next try,
 * or is in work, the rest of its key waits; the deleted ones are still visible to the statement that deletes them.
 */
export const settleAndTake = sql(
  'bus-take',
  `with settled as (
     delete from job_common d
     where d.name = $1 and d.id = any ($2::uuid[]) and d.state = 'active'
       and d.retry_count = ($3::int[])[array_position($2::uuid[], d.id)]
     returning d.id
   ), head as materialized (
     select distinct on (h.singleton_key) h.id, h.singleton_key, h.created_on from job_common h
     where h.name = $1 and h.state < 'active' and not h.blocked and h.policy = 'key_strict_fifo'
       and h.start_after <= now()
     order by h.singleton_key, h.state desc, h.created_on, h.id
   ), turn as materialized (
     select id, singleton_key from head order by created_on
   ), next as (
     select free.id from turn cross join lateral (
       select j.id from job_common j
       where j.name = $1 and j.id = turn.id and j.state < 'active' and j.start_after <= now()
       for update skip locked
     ) free
     where (exists (
       select from job_common b
       where b.name = $1 and b.singleton_key = turn.singleton_key and b.state in ('active', 'retry', 'failed')
         and b.policy = 'key_strict_fifo' and b.id <> turn.id and b.id not in (select id from settled)
     )) is not true
     limit $4
   )
   update job_common t set state = 'active', started_on = now(), heartbeat_on = now(),
     retry_count = case when t.started_on is null then t.retry_count else t.retry_count + 1 end
   from next where t.name = $1 and t.id = next.id
   returning t.id, t.retry_count as "retryCount", t.data`,
);

/** When the first of the messages that wait for their next try is due. Whoever failed on it may be gone. */
export const findNextTry = sql(
  'bus-next-try',
  `select extract(epoch from min(start_after) - now())::float8 * 1000 as "inMs" from job_common
   where name = $1 and state = 'retry' and start_after > now()`,
);

export const countWaiting = sql(
  'bus-lag',
  `select count(*)::int as count from job_common where name = $1 and state < 'completed'`,
);

/** Messages that an instance took and gives no sign of life for any more. */
export const findAbandoned = sql(
  'bus-abandoned',
  `select distinct name from job_common
   where state = 'active' and heartbeat_on + heartbeat_seconds * interval '1 second' < now()`,
);

export const keepConsumer = sql(
  'bus-consumer',
  `insert into consumer (name, subjects, sign_of_life_s) values ($1, $2, $3)
   on conflict (name) do update set subjects = excluded.subjects, sign_of_life_s = excluded.sign_of_life_s`,
);

export const forgetIds = sql('bus-forget', `delete from seen where at < now() - interval '5 minutes'`);

export const tellNews = sql('bus-news', 'select pg_notify($1, $2)');

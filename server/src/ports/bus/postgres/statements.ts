import { sql } from '../../../kernel/act.ts';

/**
 * What happens for every message, as one statement each, in the tables of the queue library.
 *
 * The library writes the same in several statements whose text it makes anew, so that PostgreSQL parses and plans each
 * time; that took more than to do it. These have names, and are planned once per connection. They rely on the columns
 * of the version that is pinned, and the suite of the port runs against it. Whatever is rare is left to the library:
 * queues, tries that failed, signs of life, messages of the dead.
 *
 * Tables are named without a schema. The planner expects as many rows for one message as for a thousand: "is true" and
 * "lateral" leave it no join whose order would depend on that.
 */

/** Who wants what. It is asked each time: a consumer gets everything that is published after it was made known. */
export const findConsumers = sql('bus-consumers', 'select name, subjects, sign_of_life_s from consumer order by name');

/**
 * Puts copies of messages into queues, unless their ids are known, and wakes who reads them. Ids are inserted in order,
 * so that two publishers of the same ones wait for each other instead of for ever. Job ids rise, and break the tie between
 * messages of the same instant.
 */
export const storeCopies = sql(
  'bus-store',
  `with copy as materialized (
     select * from unnest($1::uuid[], $2::text[], $3::int[], $4::text[], $5::text[], $6::text[], $7::text[], $8::int[])
       as c (job_id, name, sign_of_life_s, id, subject, key, envelope, keep_s)
   ), fresh as (
     insert into seen (id) select distinct c.id from copy c order by c.id on conflict do nothing returning id
   ), stored as (
     insert into job_common (id, name, data, singleton_key, keep_until, heartbeat_seconds, policy, retry_limit,
       retry_delay, retry_backoff, expire_seconds, deletion_seconds)
     select c.job_id, c.name,
       jsonb_build_object('id', c.id, 'subject', c.subject, 'key', c.key, 'envelope', c.envelope),
       c.key, now() + c.keep_s * interval '1 second', c.sign_of_life_s, q.policy, q.retry_limit,
       q.retry_delay, q.retry_backoff, q.expire_seconds, q.deletion_seconds
     from copy c join queue q on q.name = c.name
     where (c.id in (select id from fresh)) is true
     returning name
   )
   select array(select id from fresh) as fresh, (
     select count(pg_notify($9, s.name)) from (select distinct name from stored) s
   ) as woken`,
);

/**
 * Removes handled messages, and takes the heads of as many keys as there are free workers. Only the attempt that holds
 * a message removes it: one that was given to another worker meanwhile stays. Behind a head that waits for its next
 * attempt, or is in work, the rest of its key waits; deleted rows are still visible to the statement that deletes them.
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

/** When the first of the messages that wait for their next attempt is due. The worker that failed on it may be gone. */
export const findNextTry = sql(
  'bus-next-try',
  `select extract(epoch from min(start_after) - now())::float8 * 1000 as "inMs" from job_common
   where name = $1 and state = 'retry' and start_after > now()`,
);

export const countWaiting = sql(
  'bus-lag',
  `select count(*)::int as count from job_common where name = $1 and state < 'completed'`,
);

export const countDepths = sql(
  'bus-depths',
  `select c.name as consumer, count(j.id)::int as waiting, min(j.created_on) as oldest from consumer c
   left join job_common j on j.name = c.name and j.state < 'completed' group by c.name order by c.name`,
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

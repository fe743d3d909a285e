import { sql } from '../../kernel/act.ts';

/**
 * Notices of a project. Nothing is copied: the outbox keeps the events, an index finds those of a project, and a mark
 * per person says until when they have read.
 */
export const list = sql(
  'notices',
  `select e.event_id as id, e.position::text as position, e.subject as type, e.created_at as at,
     e.envelope -> 'payload' as payload, e.envelope ->> 'correlation_id' as correlation_id,
     (select a.name from allocations a
      where a.id = (e.envelope -> 'payload' ->> 'allocation_id')::uuid and mine(a.organization_id)) as subject_name
   from outbox_events e
   where mine(e.organization_id) and e.envelope ->> 'project_id' = $1 and e.subject <> 'provisioning.phase'
     and e.subject = any($2::text[]) and ($3::bigint is null or e.position < $3)
   order by e.position desc limit $4`,
);
export const unreadSql = sql(
  'notices-unread',
  `select count(*)::int as n from (
     select from outbox_events e
     where mine(e.organization_id) and e.envelope ->> 'project_id' = $1 and e.subject <> 'provisioning.phase'
       and e.subject = any($2::text[]) and ($3::timestamptz is null or e.created_at > $3)
     order by e.position desc limit $4) u`,
);
export const findMark = sql(
  'notice-mark-get',
  'select read_until from notice_marks where user_id = $1 and is_me(user_id)',
);
// A clock that runs ahead must not mark what has not happened yet.
export const mark = sql(
  'notice-mark',
  `insert into notice_marks (user_id, read_until) values ($1, least($2::timestamptz, act_time()))
   on conflict (user_id) do update
     set read_until = greatest(notice_marks.read_until, excluded.read_until), updated_at = excluded.updated_at
     where is_me(notice_marks.user_id)
   returning read_until`,
);

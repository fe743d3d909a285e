import { type Notice, noticeList, noticeRead, noticeTypes } from '@gpuaas/contract';
import { type Database, handlers, type Mounted, type ReadTx, sql } from '../../kernel/act.ts';
import { readPage } from '../../kernel/page.ts';

/**
 * Notices of a project. Nothing is copied: the outbox keeps the events, an index finds those of a project, and a mark
 * per person says until when they have read.
 */
const list = sql(
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
const unreadSql = sql(
  'notices-unread',
  `select count(*)::int as n from (
     select from outbox_events e
     where mine(e.organization_id) and e.envelope ->> 'project_id' = $1 and e.subject <> 'provisioning.phase'
       and e.subject = any($2::text[]) and ($3::timestamptz is null or e.created_at > $3)
     order by e.position desc limit $4) u`,
);
const findMark = sql('notice-mark-get', 'select read_until from notice_marks where user_id = $1 and is_me(user_id)');
// A clock that runs ahead must not mark what has not happened yet.
const mark = sql(
  'notice-mark',
  `insert into notice_marks (user_id, read_until) values ($1, least($2::timestamptz, act_time()))
   on conflict (user_id) do update
     set read_until = greatest(notice_marks.read_until, excluded.read_until), updated_at = excluded.updated_at
     where is_me(notice_marks.user_id)
   returning read_until`,
);

type Row = Omit<Notice, 'at' | 'read'> & { readonly at: Date; readonly position: string };
const on = handlers<{ readonly db: Database }>();

const show = on(noticeList, async ({ db }, who, { query }) => {
  // The read mark belongs to the person, not to the project, so it is read with the person's own reach.
  const [mark] = await db.read({ ...who, reach: 'self', organizationId: undefined, projectId: undefined }, (tx) =>
    tx.rows<{ read_until: Date }>(findMark, [who.actorId]),
  );
  return readPage({
    name: 'notices',
    query,
    key: 'number',
    read: (before, limit) =>
      db.read(who, (tx) => tx.rows<Row>(list, [who.projectId, noticeTypes, before ?? null, limit])),
    keyOf: (row) => row.position,
    show: ({ id, type, at, subject_name, payload, correlation_id }) => ({
      ...{ id, type, subject_name, payload, correlation_id },
      at: at.toISOString(),
      read: mark !== undefined && at <= mark.read_until,
    }),
  });
});

const read = on(noticeRead, ({ db }, act, { body }) =>
  db.write(act, async (tx) => {
    const [row] = await tx.rows<{ read_until: Date }>(mark, [act.actorId, body.until]);
    if (!row) throw new Error('a mark was not stored');
    const readUntil = row.read_until.toISOString();
    return tx.commit(
      { read_until: readUntil },
      { target: { type: 'user', id: act.actorId }, change: { read_until: readUntil }, events: 'none' },
    );
  }),
);

/** How many notices of a project are newer than the mark of a reader, counted up to a limit. */
export async function countUnread(
  tx: ReadTx,
  projectId: string,
  readUntil: Date | null,
  limit: number,
): Promise<number> {
  const [row] = await tx.rows<{ n: number }>(unreadSql, [projectId, noticeTypes, readUntil, limit]);
  return row?.n ?? 0;
}

export const noticeRoutes = (parts: { readonly db: Database }): Mounted[] => [show, read].map((bind) => bind(parts));

import { type Notice, noticeList, noticeRead, noticeTypes } from '@gpuaas/contract';
import { type Database, handlers, type Mounted, type ReadTx } from '../../kernel/act.ts';
import { readPage } from '../../kernel/page.ts';
import { findMark, list, mark, unreadSql } from './notices-store.ts';

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

import { adminEventList, type Envelope, type LoggedEvent } from '@gpuaas/contract';
import { type Database, handlers, type ReadTx } from '../../kernel/act.ts';
import { readPage } from '../../kernel/page.ts';
import { backlogSql, listSql, oldestSql, openLettersSql } from './event-list-store.ts';
import { relayName } from './relay.ts';

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

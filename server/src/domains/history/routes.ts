import { type HistoryTable, historyArchiveList, historyArchiveVerify, historyGet } from '@gpuaas/contract';
import { type Database, handlers, type Mounted } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import { readPage } from '../../kernel/page.ts';
import type { Objects } from '../../ports/objects/port.ts';
import type { Policies } from '../policy/index.ts';
import { type ArchiveRow, findArchive, listArchives, readLinks, readSizes } from './store.ts';
import { historyTables, retentionDays } from './tables.ts';
import { verifyArchive } from './verify.ts';

interface Parts {
  readonly db: Database;
  readonly objects: Objects;
  readonly policies: Policies;
}
const on = handlers<Parts>();

const status = on(historyGet, async ({ db, policies }, who) => {
  const sizes = new Map((await db.read(who, readSizes)).map((row) => [row.table_name, row]));
  const data = Object.entries(historyTables).flatMap(([table, { keptBy, policy }]): HistoryTable[] => {
    const size = sizes.get(table);
    if (!size) return [];
    return [
      {
        table,
        kept_by: keptBy,
        bytes: Number(size.bytes),
        rows_estimate: Number(size.rows_estimate),
        parts: size.parts,
        unplaced_rows: Number(size.unplaced),
        retention_policy: policy,
        retention_days: retentionDays(policies, policy),
      },
    ];
  });
  return { data: data.sort((a, b) => b.bytes - a.bytes) };
});

const show = ({
  rows,
  bytes,
  from_at,
  to_at,
  started_at,
  archived_at,
  confirmed_at,
  removed_at,
  ...row
}: ArchiveRow) => ({
  ...row,
  rows: rows === null ? null : Number(rows),
  bytes: bytes === null ? null : Number(bytes),
  from_at: from_at?.toISOString() ?? null,
  to_at: to_at.toISOString(),
  started_at: started_at.toISOString(),
  archived_at: archived_at?.toISOString() ?? null,
  confirmed_at: confirmed_at?.toISOString() ?? null,
  removed_at: removed_at?.toISOString() ?? null,
});
const list = on(historyArchiveList, ({ db }, who, { query }) =>
  readPage({
    name: 'history-archives',
    query,
    read: (before, limit) => db.read(who, (tx) => listArchives(tx, before, limit)),
    keyOf: (row) => row.id,
    show,
  }),
);

const verify = on(historyArchiveVerify, async ({ db, objects }, who, { params }) => {
  const found = await db.read(who, async (tx) => {
    const archive = await findArchive(tx, params.archive_id);
    return archive && { archive, chains: await readLinks(tx, archive.id) };
  });
  if (!found?.archive.archived_at)
    return new Fault('archive_not_found', 'There is no such archive, or it is still being written.');
  return verifyArchive(objects, found.archive, found.chains);
});

export const historyRoutes = (parts: Parts): Mounted[] => [status(parts), list(parts), verify(parts)];

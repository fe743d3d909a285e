import type { HistoryArchive } from '@gpuaas/contract';
import { type ReadTx, sql, type WriteTx } from '../../kernel/act.ts';
import type { AuditRow, LinkForm } from '../../kernel/audit-link.ts';

export type Subject = HistoryArchive['subject'];

const monthsSql = sql('history-months-ahead', 'select ledger_months_ahead(act_time()) as made');
const beginSql = sql('history-begin', 'select history_begin($1, $2, $3, $4) as id');
const auditRowsSql = sql('history-audit-rows', 'select * from history_audit_rows($1, $2, $3, $4)');
const batchRowsSql = sql('history-rows', 'select * from history_rows($1)');
const archivedSql = sql('history-archived', 'select history_archived($1, $2, $3, $4)');
const confirmSql = sql('history-confirm', 'select history_confirm($1, $2, $3)');
const removeSql = sql('history-remove', 'select history_remove($1, $2, $3) as next');
const sizesSql = sql(
  'history-sizes',
  `select table_name, bytes::text as bytes, rows_estimate::text as rows_estimate, parts, unplaced::text as unplaced
   from history_sizes()`,
);
const columns = `id, subject, from_at, to_at, object_key, rows::text as rows, bytes::text as bytes, sha256, started_at,
  archived_at, confirmed_at, removed_at`;
const listSql = sql(
  'history-archives',
  `select ${columns} from history_archives where ($1::uuid is null or id < $1) order by id desc limit $2`,
);
const unconfirmedSql = sql(
  'history-unconfirmed',
  `select ${columns} from history_archives where archived_at is not null and confirmed_at is null and removed_at is null
   order by id`,
);
const findSql = sql('history-archive', `select ${columns} from history_archives where id = $1`);
const linksSql = sql(
  'history-links',
  `select h.chain, h.first_sequence::text as first_sequence, h.after_hash, h.last_sequence::text as last_sequence, h.last_hash,
     h.first_sequence = 1 and h.after_hash = repeat('0', 64) or exists (select from history_links b
       where b.chain = h.chain and b.last_sequence = h.first_sequence - 1 and b.last_hash = h.after_hash
         and (b.organization_id is null or mine(b.organization_id))) as follows
   from history_links h where h.archive_id = $1 and (h.organization_id is null or mine(h.organization_id)) order by h.chain`,
);

export interface ArchiveRow {
  readonly id: string;
  readonly subject: Subject;
  readonly from_at: Date | null;
  readonly to_at: Date;
  readonly object_key: string;
  readonly rows: string | null;
  readonly bytes: string | null;
  readonly sha256: string | null;
  readonly started_at: Date;
  readonly archived_at: Date | null;
  readonly confirmed_at: Date | null;
  readonly removed_at: Date | null;
}
export interface LinkLine {
  readonly chain: string;
  readonly sequence: string;
  readonly hash: string;
  readonly form: LinkForm;
  readonly entry: AuditRow | null;
}
export interface BatchLine {
  readonly source: string;
  readonly entry: object;
}
export interface ChainPart {
  readonly chain: string;
  readonly first_sequence: string;
  readonly after_hash: string;
  readonly last_sequence: string;
  readonly last_hash: string;
  readonly follows: boolean;
}

export const makeMonths = async (tx: WriteTx): Promise<number> =>
  (await tx.rows<{ made: number }>(monthsSql))[0]?.made ?? 0;
export const beginArchive = async (tx: WriteTx, id: string, subject: Subject, before: Date, limit: number) =>
  (await tx.rows<{ id: string | null }>(beginSql, [id, subject, before, limit]))[0]?.id ?? undefined;
export const readAuditRows = (tx: ReadTx, id: string, chain: string, sequence: string, limit: number) =>
  tx.rows<LinkLine>(auditRowsSql, [id, chain, sequence, limit]);
export const readBatch = (tx: ReadTx, id: string) => tx.rows<BatchLine>(batchRowsSql, [id]);
export const noteArchived = (tx: WriteTx, id: string, made: { rows: number; bytes: number; sha256: string }) =>
  tx.rows(archivedSql, [id, made.rows, made.bytes, made.sha256]);
export const listUnconfirmed = (tx: ReadTx) => tx.rows<ArchiveRow>(unconfirmedSql);
export const confirmArchive = (tx: WriteTx, archive: ArchiveRow) =>
  tx.rows(confirmSql, [archive.id, archive.rows, archive.sha256]);
export const removeArchived = async (tx: WriteTx, id: string, after: string | undefined, limit: number) =>
  (await tx.rows<{ next: string | null }>(removeSql, [id, after ?? null, limit]))[0]?.next ?? undefined;
export const readSizes = (tx: ReadTx) =>
  tx.rows<{ table_name: string; bytes: string; rows_estimate: string; parts: number; unplaced: string }>(sizesSql);
export const listArchives = (tx: ReadTx, before: string | undefined, limit: number) =>
  tx.rows<ArchiveRow>(listSql, [before ?? null, limit]);
export const findArchive = async (tx: ReadTx, id: string): Promise<ArchiveRow | undefined> =>
  (await tx.rows<ArchiveRow>(findSql, [id]))[0];
export const readLinks = (tx: ReadTx, id: string) => tx.rows<ChainPart>(linksSql, [id]);

import { type ReadTx, sql, type WriteTx } from '../../../kernel/act.ts';

export interface UploadRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly namespace_id: string;
  readonly folder: string;
  readonly name: string;
  readonly size_bytes: bigint;
  readonly part_bytes: bigint;
  readonly content_type: string;
  readonly handle: string;
  readonly replaces: boolean;
  readonly created_by: string;
  readonly created_at: Date;
  readonly expires_at: Date;
}
const columns = `u.id, u.organization_id, u.project_id, u.namespace_id, u.folder, u.name, u.size_bytes, u.part_bytes, u.content_type,
     u.handle, u.replaces, u.created_by, u.created_at, u.expires_at`;

const insert = sql(
  'storage-upload-insert',
  `insert into storage_uploads (id, organization_id, project_id, namespace_id, folder, name, size_bytes, part_bytes, content_type,
     handle, replaces, created_by, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
);
const find = sql(
  'storage-upload-find',
  `select ${columns} from storage_uploads u
   where u.id = $1 and u.expires_at > act_time() and mine(u.organization_id)`,
);
const remove = sql(
  'storage-upload-remove',
  'delete from storage_uploads u where u.id = $1 and mine(u.organization_id)',
);
const count = sql(
  'storage-upload-count',
  'select count(*)::int as uploads from storage_uploads u where u.project_id = $1 and mine(u.organization_id)',
);
const expired = sql(
  'storage-upload-expired',
  `select ${columns} from storage_uploads u
   where u.expires_at <= $1 and mine(u.organization_id) order by u.expires_at limit $2`,
);
const insertBlob = sql(
  'storage-blob-insert',
  `insert into storage_blobs (id, organization_id, project_id, handle, uses, removable_at)
   values ($1, $2, $3, $4, $5, case when $5 = 0 then act_time() end)`,
);
const useBlob = sql(
  'storage-blob-use',
  `update storage_blobs b set uses = b.uses + $2, removable_at = case when b.uses + $2 = 0 then act_time() end
   where b.id = $1 and mine(b.organization_id)`,
);
const removable = sql(
  'storage-blob-removable',
  `select b.id, b.organization_id, b.project_id, b.handle from storage_blobs b
   where b.uses = 0 and b.removable_at <= $1 and mine(b.organization_id) order by b.removable_at limit $2`,
);
const removeBlobRow = sql(
  'storage-blob-remove',
  'delete from storage_blobs b where b.id = $1 and b.uses = 0 and mine(b.organization_id)',
);
const duePurge = sql(
  'storage-purge-due',
  `select o.id, o.organization_id, o.project_id, o.size_bytes, o.blob_id from storage_objects o
   where o.deleted_at is not null and o.purge_at <= $1 and mine(o.organization_id) order by o.purge_at limit $2`,
);

export const insertUpload = (
  tx: WriteTx,
  one: Omit<UploadRow, 'size_bytes' | 'part_bytes' | 'created_at'> & {
    readonly size_bytes: number;
    readonly part_bytes: number;
  },
) =>
  tx.run(insert, [
    ...[one.id, one.organization_id, one.project_id, one.namespace_id, one.folder, one.name, one.size_bytes],
    ...[one.part_bytes, one.content_type, one.handle, one.replaces, one.created_by, one.expires_at],
  ]);
export const findUpload = async (tx: ReadTx, id: string) => (await tx.rows<UploadRow>(find, [id]))[0];
/** False when it was finished or given up in the meantime. */
export const removeUpload = async (tx: WriteTx, id: string) => (await tx.run(remove, [id])) > 0;
export const countUploads = async (tx: ReadTx, projectId: string): Promise<number> =>
  (await tx.rows<{ uploads: number }>(count, [projectId]))[0]?.uploads ?? 0;
export const listExpired = (tx: ReadTx, at: Date, limit: number) => tx.rows<UploadRow>(expired, [at, limit]);

export interface BlobRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly handle: string;
}
export const putBlob = (tx: WriteTx, blob: BlobRow, uses: number) =>
  tx.run(insertBlob, [blob.id, blob.organization_id, blob.project_id, blob.handle, uses]);
export const changeUses = (tx: WriteTx, blobId: string, by: number) => tx.run(useBlob, [blobId, by]);
export const listRemovable = (tx: ReadTx, before: Date, limit: number) => tx.rows<BlobRow>(removable, [before, limit]);
export const removeBlob = (tx: WriteTx, id: string) => tx.run(removeBlobRow, [id]);
export interface DueRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly size_bytes: bigint;
  readonly blob_id: string | null;
}
export const listDue = (tx: ReadTx, at: Date, limit: number) => tx.rows<DueRow>(duePurge, [at, limit]);

import type { NamespaceKind } from '@gpuaas/contract';
import { type ReadTx, sql, type WriteTx } from '../../../kernel/act.ts';

export interface ObjectRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly namespace_id: string;
  readonly folder: string;
  readonly name: string;
  readonly is_folder: boolean;
  readonly size_bytes: bigint;
  readonly part_bytes: bigint;
  readonly content_type: string;
  readonly checksum: string;
  readonly blob_id: string | null;
  readonly created_by: string;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly deleted_at: Date | null;
  readonly purge_at: Date | null;
}
const columns = `o.id, o.organization_id, o.project_id, o.namespace_id, o.folder, o.name, o.is_folder, o.size_bytes, o.part_bytes,
     o.content_type, o.checksum, o.blob_id, o.created_by, o.created_at, o.updated_at, o.deleted_at, o.purge_at`;

const find = sql(
  'storage-object-find',
  `select ${columns} from storage_objects o
   where o.namespace_id = $1 and o.folder = $2 and o.name = $3 and o.deleted_at is null and mine(o.organization_id)`,
);
const list = sql(
  'storage-object-list',
  `select ${columns} from storage_objects o
   where o.namespace_id = $1 and o.folder = $2 and o.deleted_at is null and mine(o.organization_id)
     and o.name > $3
   order by o.name limit $4`,
);
const listBelow = sql(
  'storage-object-list-below',
  `select ${columns} from storage_objects o
   where o.namespace_id = $1 and o.folder >= $2 and o.folder < $3 and o.deleted_at is null and mine(o.organization_id)
     and (o.folder, o.name) > ($4, $5) and not o.is_folder
   order by o.folder, o.name limit $6`,
);
const insertFile = sql(
  'storage-object-insert',
  `insert into storage_objects (id, organization_id, project_id, namespace_id, folder, name, is_folder, size_bytes, part_bytes,
     content_type, checksum, blob_id, created_by)
   values ($1, $2, $3, $4, $5, $6, false, $7, $8, $9, $10, $11, $12)`,
);
const insertFolders = sql(
  'storage-folders-insert',
  `insert into storage_objects (id, organization_id, project_id, namespace_id, folder, name, is_folder, size_bytes, part_bytes,
     content_type, checksum, created_by)
   select w.id, $2, $3, $4, w.folder, w.name, true, 0, 0, '', '', $5
   from unnest($1::uuid[], $6::text[], $7::text[]) as w (id, folder, name)
   on conflict (namespace_id, folder, name) where deleted_at is null do nothing`,
);
const fileAmong = sql(
  'storage-folders-taken',
  `select o.id from storage_objects o
     join unnest($2::text[], $3::text[]) as w (folder, name) on w.folder = o.folder and w.name = o.name
   where o.namespace_id = $1 and o.deleted_at is null and not o.is_folder and mine(o.organization_id) limit 1`,
);
const toTrash = sql(
  'storage-object-trash',
  `update storage_objects o set deleted_at = act_time(), deleted_by = $2, purge_at = $3
   where o.id = $1 and o.deleted_at is null and mine(o.organization_id)`,
);
const removeOne = sql(
  'storage-object-remove',
  'delete from storage_objects o where o.id = $1 and mine(o.organization_id)',
);
/** Stops counting at the bound: a folder may have millions. */
const below = sql(
  'storage-objects-below',
  `select count(*)::int as entries, coalesce(sum(b.size_bytes), 0)::text as size_bytes, coalesce(max(b.path_bytes), 0)::int as longest
   from (
     select o.size_bytes, octet_length(o.folder) + octet_length(o.name) as path_bytes from storage_objects o
     where o.namespace_id = $1 and o.folder >= $2 and o.folder < $3 and o.deleted_at is null and mine(o.organization_id)
     limit $4
   ) as b`,
);
const trashBelow = sql(
  'storage-objects-trash-below',
  `update storage_objects o set deleted_at = act_time(), deleted_by = $4, purge_at = $5
   where o.namespace_id = $1 and o.folder >= $2 and o.folder < $3 and o.deleted_at is null and not o.is_folder
     and mine(o.organization_id)`,
);
const removeFoldersBelow = sql(
  'storage-folders-remove-below',
  `delete from storage_objects o
   where o.namespace_id = $1 and o.folder >= $2 and o.folder < $3 and o.deleted_at is null and o.is_folder
     and mine(o.organization_id)`,
);
const moveOne = sql(
  'storage-object-move',
  `update storage_objects o set folder = $2, name = $3, updated_at = act_time()
   where o.id = $1 and mine(o.organization_id)`,
);
const moveBelow = sql(
  'storage-objects-move-below',
  `update storage_objects o set folder = $4 || substr(o.folder, length($2) + 1)
   where o.namespace_id = $1 and o.folder >= $2 and o.folder < $3 and o.deleted_at is null and mine(o.organization_id)`,
);
const trash = sql(
  'storage-trash-list',
  `select ${columns}, n.kind, n.name as namespace_name from storage_objects o
     join storage_namespaces n on n.id = o.namespace_id and mine(n.organization_id)
   where o.organization_id = $1 and o.project_id = $2 and o.deleted_at is not null and mine(o.organization_id)
     and ($3::text is null or n.kind <> 'users' or n.name = $3)
     and ($4::uuid is null or o.id < $4)
   order by o.id desc limit $5`,
);
const holdTrash = sql(
  'storage-trash-hold',
  `select ${columns} from storage_objects o
   where o.id = $1 and o.project_id = $2 and o.deleted_at is not null and mine(o.organization_id) for update`,
);
const restore = sql(
  'storage-trash-restore',
  `update storage_objects o set deleted_at = null, deleted_by = null, purge_at = null, updated_at = act_time()
   where o.id = $1 and mine(o.organization_id)`,
);

export const findObject = async (tx: ReadTx, namespaceId: string, folder: string, name: string) =>
  (await tx.rows<ObjectRow>(find, [namespaceId, folder, name]))[0];
export const listFolder = (tx: ReadTx, namespaceId: string, folder: string, after: string, limit: number) =>
  tx.rows<ObjectRow>(list, [namespaceId, folder, after, limit]);
export interface Below {
  readonly namespaceId: string;
  /** Inclusive, and the first one that is not below any more. */
  readonly from: string;
  readonly to: string;
}
export const listBelowFolder = (
  tx: ReadTx,
  of: Below,
  after: { readonly folder: string; readonly name: string },
  limit: number,
) => tx.rows<ObjectRow>(listBelow, [of.namespaceId, of.from, of.to, after.folder, after.name, limit]);

export interface NewFile {
  readonly id: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly namespaceId: string;
  readonly folder: string;
  readonly name: string;
  readonly sizeBytes: number;
  readonly partBytes: number;
  readonly contentType: string;
  readonly checksum: string;
  readonly blobId: string;
  readonly createdBy: string;
}
export const insertObject = (tx: WriteTx, file: NewFile) =>
  tx.run(insertFile, [
    ...[file.id, file.organizationId, file.projectId, file.namespaceId, file.folder, file.name, file.sizeBytes],
    ...[file.partBytes, file.contentType, file.checksum, file.blobId, file.createdBy],
  ]);
export interface NewFolders {
  readonly organizationId: string;
  readonly projectId: string;
  readonly namespaceId: string;
  readonly createdBy: string;
  readonly entries: readonly { readonly id: string; readonly folder: string; readonly name: string }[];
}
/** Makes the folders that are not there. False when a file has the name of one of them. */
export async function makeFolders(tx: WriteTx, of: NewFolders): Promise<boolean> {
  if (of.entries.length === 0) return true;
  const [folders, names] = [of.entries.map(({ folder }) => folder), of.entries.map(({ name }) => name)];
  const ids = of.entries.map(({ id }) => id);
  await tx.run(insertFolders, [ids, of.organizationId, of.projectId, of.namespaceId, of.createdBy, folders, names]);
  return (await tx.rows(fileAmong, [of.namespaceId, folders, names])).length === 0;
}
export const trashObject = (tx: WriteTx, id: string, by: string, purgeAt: Date) => tx.run(toTrash, [id, by, purgeAt]);
export const removeObject = (tx: WriteTx, id: string) => tx.run(removeOne, [id]);
export async function measureBelow(tx: ReadTx, of: Below, most: number) {
  const [row] = await tx.rows<{ entries: number; size_bytes: string; longest: number }>(below, [
    ...[of.namespaceId, of.from, of.to, most],
  ]);
  return { entries: row?.entries ?? 0, sizeBytes: Number(row?.size_bytes ?? 0), longest: row?.longest ?? 0 };
}
export async function trashFolder(tx: WriteTx, of: Below, by: string, purgeAt: Date): Promise<void> {
  await tx.run(trashBelow, [of.namespaceId, of.from, of.to, by, purgeAt]);
  await tx.run(removeFoldersBelow, [of.namespaceId, of.from, of.to]);
}
export const moveObject = (tx: WriteTx, id: string, folder: string, name: string) =>
  tx.run(moveOne, [id, folder, name]);
export const moveFolder = (tx: WriteTx, of: Below, to: string) =>
  tx.run(moveBelow, [of.namespaceId, of.from, of.to, to]);
export interface TrashRow extends ObjectRow {
  readonly kind: NamespaceKind;
  readonly namespace_name: string;
}
export const listTrash = (
  tx: ReadTx,
  of: { readonly organizationId: string; readonly projectId: string; readonly onlyUser: string | undefined },
  before: string | undefined,
  limit: number,
) => tx.rows<TrashRow>(trash, [of.organizationId, of.projectId, of.onlyUser ?? null, before ?? null, limit]);
export const holdTrashed = async (tx: WriteTx, id: string, projectId: string) =>
  (await tx.rows<ObjectRow>(holdTrash, [id, projectId]))[0];
export const restoreObject = (tx: WriteTx, id: string) => tx.run(restore, [id]);

import {
  type NamespaceRef,
  namespacePath,
  type StorageGrant,
  type StorageNamespace,
  type StorageObject,
  type StorageUpload,
} from '@gpuaas/contract';
import type { Part } from '../../ports/storage/port.ts';
import { pathIn } from './access.ts';
import type { GrantRow } from './stores/grants-store.ts';
import type { NamespaceRow } from './stores/namespaces-store.ts';
import type { ObjectRow } from './stores/objects-store.ts';
import type { UploadRow } from './stores/uploads-store.ts';

export const showNamespace = (row: NamespaceRow & { readonly level: StorageNamespace['level'] }): StorageNamespace => ({
  ...{ id: row.id, project_id: row.project_id, path: namespacePath(row), kind: row.kind, name: row.name },
  ...{ stored_bytes: Number(row.stored_bytes), level: row.level },
  created_at: row.created_at.toISOString(),
});
export const showObject = (of: NamespaceRef, row: ObjectRow): StorageObject => ({
  ...{ id: row.id, project_id: row.project_id, namespace_id: row.namespace_id },
  ...{ path: `${pathIn(of, row)}${row.is_folder ? '/' : ''}`, name: row.name, is_folder: row.is_folder },
  ...{ size_bytes: Number(row.size_bytes), content_type: row.content_type, checksum: row.checksum },
  ...{ part_bytes: Number(row.part_bytes), created_by: row.created_by },
  ...{ created_at: row.created_at.toISOString(), updated_at: row.updated_at.toISOString() },
  ...{ deleted_at: row.deleted_at?.toISOString() ?? null, purge_at: row.purge_at?.toISOString() ?? null },
});
export const partCount = ({ size_bytes, part_bytes }: Pick<UploadRow, 'size_bytes' | 'part_bytes'>): number =>
  Math.max(1, Math.ceil(Number(size_bytes) / Number(part_bytes)));
/** Every part is as long as the first, but the last takes what is left. */
export function sizeOfPart(row: Pick<UploadRow, 'size_bytes' | 'part_bytes'>, number: number): number {
  const [size, each] = [Number(row.size_bytes), Number(row.part_bytes)];
  return number < partCount(row) ? each : size - (partCount(row) - 1) * each;
}
export const showUpload = (of: NamespaceRef, row: UploadRow, parts: readonly Part[]): StorageUpload => ({
  ...{ id: row.id, project_id: row.project_id, path: pathIn(of, row), size_bytes: Number(row.size_bytes) },
  ...{ part_bytes: Number(row.part_bytes), part_count: partCount(row) },
  parts: parts.map(({ number, sizeBytes, sha256 }) => ({ number, size_bytes: sizeBytes, sha256 })),
  ...{ created_at: row.created_at.toISOString(), expires_at: row.expires_at.toISOString() },
});
export const showGrant = (row: GrantRow): StorageGrant => ({
  ...{ id: row.id, project_id: row.project_id, namespace_id: row.namespace_id, path: namespacePath(row) },
  ...{ grantee_kind: row.grantee_kind, grantee_id: row.grantee_id, level: row.level, granted_by: row.granted_by },
  created_at: row.created_at.toISOString(),
  ...{ expires_at: row.expires_at?.toISOString() ?? null, revoked_at: row.revoked_at?.toISOString() ?? null },
});

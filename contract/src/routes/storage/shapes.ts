import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../../ids.ts';
import { namespaceKinds } from '../../storage/path.ts';

export const strict = { additionalProperties: false } as const;
export const orNull = <const S extends Parameters<typeof Type.Union>[0][number]>(schema: S) =>
  Type.Union([schema, Type.Null()]);

export const StoragePath = Type.String({
  minLength: 1,
  maxLength: 1_024,
  description: 'datasets/imagenet/train/0001.tar: a namespace, and the path in it. A folder may end with a slash.',
});
/** Which project owns the path, where it is not the one of the request. */
export const ownerProject = {
  owner_project_id: Type.Optional(
    Type.String({ ...Uuid, description: 'The project that owns the path, where a grant opens it to you.' }),
  ),
};
export const pathQuery = Type.Object({ path: StoragePath, ...ownerProject }, strict);
export const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 in hex.' });

export const StorageObject = Type.Object(
  {
    id: Uuid,
    project_id: Uuid,
    namespace_id: Uuid,
    path: Type.String(),
    name: Type.String(),
    is_folder: Type.Boolean(),
    size_bytes: Type.Integer({ minimum: 0 }),
    content_type: Type.String(),
    checksum: Type.String({
      description:
        'sha256:HEX of a file of one part. sha256-parts:HEX of a longer one: the SHA-256 of the SHA-256 of its parts, in order. Empty for a folder.',
    }),
    part_bytes: Type.Integer({ minimum: 0, description: 'The size of every part but the last.' }),
    created_by: Type.String(),
    created_at: Timestamp,
    updated_at: Timestamp,
    deleted_at: orNull(Timestamp),
    purge_at: orNull(Type.String({ format: 'date-time', description: 'When it leaves the trash for good.' })),
  },
  { $id: 'StorageObject', ...strict },
);
export type StorageObject = Static<typeof StorageObject>;

export const StorageNamespace = Type.Object(
  {
    id: Uuid,
    project_id: Uuid,
    path: Type.String(),
    kind: Type.Enum([...namespaceKinds]),
    name: Type.String(),
    stored_bytes: Type.Integer({ minimum: 0, description: 'Files in it, and those of it in the trash.' }),
    level: Type.Enum(['read', 'write', 'manage'], { description: 'What the caller may do there.' }),
    created_at: Timestamp,
  },
  { $id: 'StorageNamespace', ...strict },
);
export type StorageNamespace = Static<typeof StorageNamespace>;

export const StorageUsage = Type.Object(
  {
    project_id: Uuid,
    stored_bytes: Type.Integer({ minimum: 0, description: 'Files, and those in the trash.' }),
    reserved_bytes: Type.Integer({ minimum: 0, description: 'Uploads that are under way.' }),
    quota_bytes: Type.Integer({ minimum: 0 }),
    read_only: Type.Boolean({
      description:
        'Whether the balance of the organization is spent: uploads and copies are refused, downloads and deletions work, and nothing is deleted.',
    }),
    price: orNull(
      Type.Object(
        {
          currency: Type.String({ pattern: '^[A-Z]{3}$' }),
          rate_micro: Type.String({
            pattern: '^[0-9]+$',
            description: 'Minor units for one GiB and hour, times a million.',
          }),
        },
        { ...strict, description: 'What storing costs now; null where it is free.' },
      ),
    ),
  },
  { $id: 'StorageUsage', ...strict },
);
export type StorageUsage = Static<typeof StorageUsage>;

export const StoragePart = Type.Object(
  { number: Type.Integer({ minimum: 1 }), size_bytes: Type.Integer({ minimum: 0 }), sha256: Sha256 },
  strict,
);
export const StorageUpload = Type.Object(
  {
    id: Uuid,
    project_id: Uuid,
    path: Type.String(),
    size_bytes: Type.Integer({ minimum: 0 }),
    part_bytes: Type.Integer({ minimum: 1, description: 'The size of every part but the last.' }),
    part_count: Type.Integer({ minimum: 1 }),
    parts: Type.Array(StoragePart, { description: 'Those that have arrived; an upload is resumed with the others.' }),
    created_at: Timestamp,
    expires_at: Timestamp,
  },
  { $id: 'StorageUpload', ...strict },
);
export type StorageUpload = Static<typeof StorageUpload>;

export const StorageAddress = Type.Object(
  {
    method: Type.Enum(['GET', 'PUT']),
    url: Type.String({ description: 'Works without a token, for one part or one download, until it expires.' }),
    headers: Type.Record(Type.String(), Type.String(), { description: 'To be sent as they are.' }),
    size_bytes: Type.Integer({ minimum: 0 }),
    expires_at: Timestamp,
  },
  { $id: 'StorageAddress', ...strict },
);
export type StorageAddress = Static<typeof StorageAddress>;

export const StorageGrant = Type.Object(
  {
    id: Uuid,
    project_id: Type.String({ ...Uuid, description: 'The project that owns the namespace.' }),
    namespace_id: Uuid,
    path: Type.String(),
    grantee_kind: Type.Enum(['user', 'service_account', 'project']),
    grantee_id: Uuid,
    level: Type.Enum(['read', 'write', 'manage']),
    granted_by: Type.String(),
    created_at: Timestamp,
    expires_at: orNull(Timestamp),
    revoked_at: orNull(Timestamp),
  },
  { $id: 'StorageGrant', ...strict },
);
export type StorageGrant = Static<typeof StorageGrant>;

export const reads = { kind: 'user', scope: 'storage:read', serviceAccounts: 'allowed' } as const;
export const writes = { kind: 'user', scope: 'storage:write', serviceAccounts: 'allowed' } as const;
export const shared = { tag: 'Storage', tenancy: { kind: 'header' }, lane: 'default' } as const;

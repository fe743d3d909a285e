import { Type } from 'typebox';
import { Uuid } from '../../ids.ts';
import { page, pageQuery } from '../../pages.ts';
import { defineRoute } from '../../route.ts';
import { namespaceKinds } from '../../storage/path.ts';
import {
  ownerProject,
  pathQuery,
  reads,
  StorageAddress,
  StorageNamespace,
  StorageObject,
  StoragePath,
  StorageUsage,
  shared,
  strict,
  writes,
} from './shapes.ts';

const inTrash = Type.Object({ storage_object_id: Uuid }, strict);
const ofPath = ['storage_path_invalid', 'storage_object_not_found'] as const;

export const storageGet = defineRoute({
  ...shared,
  id: 'storage_get',
  method: 'GET',
  path: '/api/v1/storage',
  summary: 'What the project stores, its quota, and what storing costs',
  auth: reads,
  errors: ['project_not_found'],
  response: StorageUsage,
});

export const storageNamespaceList = defineRoute({
  ...shared,
  id: 'storage_namespace_list',
  method: 'GET',
  path: '/api/v1/storage/namespaces',
  summary: 'The namespaces of the project that the caller may read',
  auth: reads,
  errors: ['cursor_invalid'],
  query: Type.Object(pageQuery, strict),
  response: page(StorageNamespace),
});

export const storageNamespaceCreate = defineRoute({
  ...shared,
  id: 'storage_namespace_create',
  method: 'POST',
  path: '/api/v1/storage/namespaces',
  summary: 'Create a namespace; an upload creates the one that it needs',
  auth: writes,
  idempotency: 'key',
  audit: 'storage.namespace.create',
  errors: ['storage_path_invalid', 'storage_object_not_found', 'storage_path_occupied', 'storage_limit_reached'],
  status: 201,
  body: Type.Object(
    {
      kind: Type.Enum([...namespaceKinds]),
      name: Type.Optional(
        Type.String({ minLength: 1, maxLength: 63, description: 'Its name, where the kind has many.' }),
      ),
    },
    strict,
  ),
  response: StorageNamespace,
});

export const storageObjectList = defineRoute({
  ...shared,
  id: 'storage_object_list',
  method: 'GET',
  path: '/api/v1/storage/objects',
  summary: 'What lies in a folder, by name',
  auth: reads,
  errors: [...ofPath, 'cursor_invalid'],
  query: Type.Object(
    {
      ...pageQuery,
      cursor: Type.Optional(Type.String({ maxLength: 2_048, description: 'The cursor of the last page; opaque.' })),
      path: StoragePath,
      ...ownerProject,
      recursive: Type.Optional(
        Type.Boolean({ description: 'All files below the folder, without folders; only the folder when left out.' }),
      ),
    },
    strict,
  ),
  response: page(StorageObject),
});

export const storageObjectGet = defineRoute({
  ...shared,
  id: 'storage_object_get',
  method: 'GET',
  path: '/api/v1/storage/object',
  summary: 'One file or folder',
  auth: reads,
  errors: ofPath,
  query: pathQuery,
  response: StorageObject,
});

export const storageDownloadGet = defineRoute({
  ...shared,
  id: 'storage_download_get',
  method: 'GET',
  path: '/api/v1/storage/download',
  summary: 'An address that a file can be fetched from, for a short time and with ranges',
  auth: reads,
  errors: [...ofPath, 'storage_is_folder'],
  query: pathQuery,
  response: StorageAddress,
  shownOnce: ['url'],
});

export const storageObjectDelete = defineRoute({
  ...shared,
  id: 'storage_object_delete',
  method: 'DELETE',
  path: '/api/v1/storage/object',
  summary: 'Move a file, or a folder with everything in it, to the trash',
  auth: writes,
  idempotency: 'key',
  audit: 'storage.object.delete',
  errors: [...ofPath, 'storage_access_denied', 'storage_folder_not_empty', 'storage_too_many_entries'],
  query: Type.Object(
    {
      path: StoragePath,
      ...ownerProject,
      recursive: Type.Optional(Type.Boolean({ description: 'A folder with everything in it.' })),
    },
    strict,
  ),
  response: Type.Object(
    {
      id: Uuid,
      path: Type.String(),
      entries: Type.Integer({ minimum: 1 }),
      size_bytes: Type.Integer({ minimum: 0 }),
    },
    { $id: 'StorageDeletion', ...strict },
  ),
});

export const storageFolderCreate = defineRoute({
  ...shared,
  id: 'storage_folder_create',
  method: 'POST',
  path: '/api/v1/storage/folders',
  summary: 'Create a folder, and the folders above it that are missing',
  auth: writes,
  idempotency: 'key',
  audit: 'storage.folder.create',
  errors: [...ofPath, 'storage_access_denied', 'storage_path_occupied', 'storage_limit_reached'],
  status: 201,
  body: Type.Object({ path: StoragePath, ...ownerProject }, strict),
  response: StorageObject,
});

const fromTo = Type.Object(
  {
    from: StoragePath,
    to: StoragePath,
    ...ownerProject,
    replace: Type.Optional(Type.Boolean({ description: 'A file that is there goes to the trash; refused otherwise.' })),
  },
  strict,
);

export const storageObjectMove = defineRoute({
  ...shared,
  id: 'storage_object_move',
  method: 'POST',
  path: '/api/v1/storage/moves',
  summary: 'Rename or move a file or a folder within a namespace',
  auth: writes,
  idempotency: 'key',
  audit: 'storage.object.move',
  errors: [...ofPath, 'storage_access_denied', 'storage_path_occupied', 'storage_too_many_entries'],
  body: fromTo,
  response: StorageObject,
});

export const storageObjectCopy = defineRoute({
  ...shared,
  id: 'storage_object_copy',
  method: 'POST',
  path: '/api/v1/storage/copies',
  summary: 'Copy a file within the project; no bytes are sent',
  auth: writes,
  idempotency: 'key',
  audit: 'storage.object.copy',
  errors: [
    ...ofPath,
    'storage_access_denied',
    'storage_path_occupied',
    'storage_is_folder',
    'storage_quota_exceeded',
    'storage_limit_reached',
    'storage_read_only',
  ],
  status: 201,
  body: fromTo,
  response: StorageObject,
});

export const storageTrashList = defineRoute({
  ...shared,
  id: 'storage_trash_list',
  method: 'GET',
  path: '/api/v1/storage/trash',
  summary: 'The trash: files that were deleted or replaced and can be restored, latest first',
  auth: reads,
  errors: ['cursor_invalid'],
  query: Type.Object(pageQuery, strict),
  response: page(StorageObject),
});

export const storageTrashRestore = defineRoute({
  ...shared,
  id: 'storage_trash_restore',
  method: 'POST',
  path: '/api/v1/storage/trash/{storage_object_id}/restore',
  summary: 'Restore a file from the trash to its path',
  auth: writes,
  idempotency: 'key',
  audit: 'storage.object.restore',
  errors: ['storage_object_not_found', 'storage_access_denied', 'storage_path_occupied'],
  params: inTrash,
  response: StorageObject,
});

export const storageTrashPurge = defineRoute({
  ...shared,
  id: 'storage_trash_purge',
  method: 'DELETE',
  path: '/api/v1/storage/trash/{storage_object_id}',
  summary: 'Remove a file from the trash for good; its bytes follow within minutes',
  auth: writes,
  idempotency: 'key',
  audit: 'storage.object.purge',
  errors: ['storage_object_not_found', 'storage_access_denied'],
  params: inTrash,
  response: StorageObject,
});

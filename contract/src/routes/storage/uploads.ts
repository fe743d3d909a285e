import { Type } from 'typebox';
import { Uuid } from '../../ids.ts';
import { defineRoute } from '../../route.ts';
import {
  ownerProject,
  reads,
  Sha256,
  StorageAddress,
  StorageObject,
  StoragePath,
  StorageUpload,
  shared,
  strict,
  writes,
} from './shapes.ts';

const one = Type.Object({ storage_upload_id: Uuid }, strict);

export const storageUploadCreate = defineRoute({
  ...shared,
  id: 'storage_upload_create',
  method: 'POST',
  path: '/api/v1/storage/uploads',
  summary:
    'Begin an upload: its size counts towards the quota from now on, and the file appears when the upload is finished',
  auth: writes,
  idempotency: 'key',
  audit: 'storage.upload.create',
  errors: [
    'storage_path_invalid',
    'storage_object_not_found',
    'storage_access_denied',
    'storage_path_occupied',
    'storage_quota_exceeded',
    'storage_limit_reached',
    'storage_read_only',
  ],
  status: 201,
  body: Type.Object(
    {
      path: StoragePath,
      ...ownerProject,
      size_bytes: Type.Integer({ minimum: 0, maximum: 5_000_000_000_000 }),
      content_type: Type.Optional(
        Type.String({ maxLength: 255, pattern: '^[A-Za-z0-9!#$&^_.+-]{1,127}/[A-Za-z0-9!#$&^_.+-]{1,127}(;[ -~]*)?$' }),
      ),
      replace: Type.Optional(
        Type.Boolean({ description: 'false: refuse where a file is there; otherwise that one goes to the trash.' }),
      ),
    },
    strict,
  ),
  response: StorageUpload,
});

export const storageUploadGet = defineRoute({
  ...shared,
  id: 'storage_upload_get',
  method: 'GET',
  path: '/api/v1/storage/uploads/{storage_upload_id}',
  summary: 'An upload that is under way, with the parts that have arrived',
  auth: reads,
  errors: ['storage_upload_not_found'],
  params: one,
  response: StorageUpload,
});

export const storageUploadPart = defineRoute({
  ...shared,
  id: 'storage_upload_part',
  method: 'GET',
  path: '/api/v1/storage/uploads/{storage_upload_id}/part',
  summary: 'An address to which one part is sent: it takes exactly these bytes, for a short time',
  auth: writes,
  errors: ['storage_upload_not_found', 'storage_access_denied', 'storage_read_only', 'validation_error'],
  params: one,
  query: Type.Object({ number: Type.Integer({ minimum: 1, maximum: 10_000 }), sha256: Sha256 }, strict),
  response: StorageAddress,
  shownOnce: ['url'],
});

export const storageUploadFinish = defineRoute({
  ...shared,
  id: 'storage_upload_finish',
  method: 'POST',
  path: '/api/v1/storage/uploads/{storage_upload_id}/finish',
  summary: 'Finish an upload: when all of its parts have arrived, it becomes a file',
  auth: writes,
  idempotency: 'key',
  audit: 'storage.upload.finish',
  errors: [
    'storage_upload_not_found',
    'storage_access_denied',
    'storage_upload_incomplete',
    'storage_checksum_mismatch',
    'storage_path_occupied',
  ],
  status: 201,
  params: one,
  body: Type.Object(
    {
      checksum: Type.Optional(
        Type.String({
          pattern: '^sha256(-parts)?:[0-9a-f]{64}$',
          description: 'What the file should have; another one is refused. See StorageObject.',
        }),
      ),
    },
    strict,
  ),
  response: StorageObject,
});

export const storageUploadAbort = defineRoute({
  ...shared,
  id: 'storage_upload_abort',
  method: 'DELETE',
  path: '/api/v1/storage/uploads/{storage_upload_id}',
  summary: 'Give up an upload: what has arrived of it is removed',
  auth: writes,
  idempotency: 'key',
  audit: 'storage.upload.abort',
  errors: ['storage_upload_not_found', 'storage_access_denied'],
  params: one,
  response: Type.Object({ id: Uuid, path: Type.String() }, { $id: 'StorageUploadGone', ...strict }),
});

import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../../ids.ts';
import { page, pageQuery } from '../../pages.ts';
import { defineRoute } from '../../route.ts';
import { orNull, reads, StoragePath, shared, strict, writes } from './shapes.ts';

const link = {
  id: Uuid,
  project_id: Uuid,
  namespace_id: Uuid,
  storage_object_id: Type.String({
    ...Uuid,
    description: 'The file. The link follows it when it is renamed, and not what replaces it.',
  }),
  path: Type.String({ description: 'Where the file lies now.' }),
  size_bytes: Type.Integer({ minimum: 0 }),
  works: Type.Boolean({ description: 'Whether it opens the file now: not while the file lies in the trash.' }),
  created_by: Type.String(),
  created_at: Timestamp,
  expires_at: Timestamp,
  revoked_at: orNull(Timestamp),
  opened: Type.Integer({ minimum: 0, description: 'How often it was opened.' }),
  last_opened_at: orNull(Timestamp),
};
export const StorageLink = Type.Object(link, { $id: 'StorageLink', ...strict });
export type StorageLink = Static<typeof StorageLink>;
const NewStorageLink = Type.Object(
  {
    ...link,
    url: Type.String({ description: 'Opens the file without a sign-in, until the link ends. Shown once.' }),
  },
  { $id: 'NewStorageLink', ...strict },
);

// What leaves the organization is decided by people.
const decides = { ...writes, serviceAccounts: 'refused' } as const;

export const storageLinkCreate = defineRoute({
  ...shared,
  id: 'storage_link_create',
  method: 'POST',
  path: '/api/v1/storage/links',
  summary: 'Make a link that opens one file without a sign-in, for a while',
  auth: decides,
  idempotency: 'key',
  audit: 'storage.link.create',
  errors: [
    'storage_path_invalid',
    'storage_object_not_found',
    'storage_access_denied',
    'storage_is_folder',
    'storage_limit_reached',
    'validation_error',
  ],
  status: 201,
  body: Type.Object(
    {
      path: StoragePath,
      hours: Type.Integer({
        minimum: 1,
        maximum: 8_760,
        description: 'How long it works; a policy says how long it may.',
      }),
    },
    strict,
  ),
  response: NewStorageLink,
  shownOnce: ['url'],
});

export const storageLinkList = defineRoute({
  ...shared,
  id: 'storage_link_list',
  method: 'GET',
  path: '/api/v1/storage/links',
  summary: 'The links to files of the project that have not ended, latest first',
  auth: reads,
  errors: ['cursor_invalid'],
  query: Type.Object(pageQuery, strict),
  response: page(StorageLink),
});

export const storageLinkRevoke = defineRoute({
  ...shared,
  id: 'storage_link_revoke',
  method: 'DELETE',
  path: '/api/v1/storage/links/{storage_link_id}',
  summary: 'Revoke a link; it opens nothing any more',
  auth: decides,
  idempotency: 'key',
  audit: 'storage.link.revoke',
  errors: ['storage_link_not_found', 'storage_access_denied'],
  params: Type.Object({ storage_link_id: Uuid }, strict),
  response: StorageLink,
});

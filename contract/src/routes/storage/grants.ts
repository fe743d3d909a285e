import { Type } from 'typebox';
import { Timestamp, Uuid } from '../../ids.ts';
import { page, pageQuery } from '../../pages.ts';
import { defineRoute } from '../../route.ts';
import { reads, StorageGrant, StoragePath, shared, strict, writes } from './shapes.ts';

export const storageGrantCreate = defineRoute({
  ...shared,
  id: 'storage_grant_create',
  method: 'POST',
  path: '/api/v1/storage/grants',
  summary: 'Let a person, a service account or another project of the organization use a namespace',
  // Who else may read a project's files is decided by people.
  auth: { ...writes, serviceAccounts: 'refused' },
  idempotency: 'key',
  audit: 'storage.grant.create',
  errors: [
    'storage_path_invalid',
    'storage_object_not_found',
    'storage_access_denied',
    'storage_grantee_not_found',
    'storage_grant_exists',
    'storage_limit_reached',
    'validation_error',
  ],
  status: 201,
  body: Type.Object(
    {
      path: Type.String({ ...StoragePath, description: 'A namespace, such as datasets/imagenet/.' }),
      grantee_kind: Type.Enum(['user', 'service_account', 'project']),
      grantee_id: Uuid,
      level: Type.Enum(['read', 'write', 'manage']),
      expires_at: Type.Optional(Timestamp),
    },
    strict,
  ),
  response: StorageGrant,
});

export const storageGrantList = defineRoute({
  ...shared,
  id: 'storage_grant_list',
  method: 'GET',
  path: '/api/v1/storage/grants',
  summary: 'Grants that the project gave, or that it and you received; latest first',
  auth: reads,
  errors: ['cursor_invalid'],
  query: Type.Object(
    {
      ...pageQuery,
      side: Type.Optional(
        Type.Enum(['given', 'received'], {
          description: 'given: by this project, the default; received: from others.',
        }),
      ),
    },
    strict,
  ),
  response: page(StorageGrant),
});

export const storageGrantRevoke = defineRoute({
  ...shared,
  id: 'storage_grant_revoke',
  method: 'DELETE',
  path: '/api/v1/storage/grants/{storage_grant_id}',
  summary: 'Revoke a grant; addresses that were given out for it end after storage.address_seconds',
  // Who else may read a project's files is decided by people.
  auth: { ...writes, serviceAccounts: 'refused' },
  idempotency: 'key',
  audit: 'storage.grant.revoke',
  errors: ['storage_grant_not_found', 'storage_access_denied'],
  params: Type.Object({ storage_grant_id: Uuid }, strict),
  response: StorageGrant,
});

import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../../ids.ts';
import { page, pageQuery } from '../../pages.ts';
import { defineRoute } from '../../route.ts';
import { orNull, reads, strict, writes } from './shapes.ts';

const token = {
  id: Uuid,
  project_id: Uuid,
  allocation_id: Uuid,
  level: Type.Enum(['read', 'write'], { description: 'What it opens of the files of the project.' }),
  works: Type.Boolean({
    description: 'Whether it is accepted now: the allocation has not ended, and nobody revoked it.',
  }),
  created_by: Type.String(),
  created_at: Timestamp,
  revoked_at: orNull(Timestamp),
};
export const StorageToken = Type.Object(token, { $id: 'StorageToken', ...strict });
export type StorageToken = Static<typeof StorageToken>;
const NewStorageToken = Type.Object(
  {
    ...token,
    token: Type.String({ description: 'The token itself, for the machine. Shown once.' }),
    base_url: Type.String({ description: 'Where the machine calls the API.' }),
  },
  { $id: 'NewStorageToken', ...strict },
);

const ofAllocation = {
  tag: 'Storage',
  tenancy: { kind: 'owner-of', param: 'allocation_id' },
  lane: 'default',
} as const;
const allocation = Type.Object({ allocation_id: Uuid }, strict);

export const storageTokenCreate = defineRoute({
  ...ofAllocation,
  id: 'storage_token_create',
  method: 'POST',
  path: '/api/v1/allocations/{allocation_id}/storage-tokens',
  summary:
    'Make a token with which the machine of an allocation uses the files of its project, until the allocation ends',
  auth: writes,
  idempotency: 'key',
  audit: 'storage.token.create',
  errors: ['allocation_not_found', 'allocation_not_active', 'storage_limit_reached', 'insufficient_permissions'],
  status: 201,
  params: allocation,
  body: Type.Object({ level: Type.Enum(['read', 'write']) }, strict),
  response: NewStorageToken,
  shownOnce: ['token'],
});

export const storageTokenList = defineRoute({
  ...ofAllocation,
  id: 'storage_token_list',
  method: 'GET',
  path: '/api/v1/allocations/{allocation_id}/storage-tokens',
  summary: 'The storage tokens of an allocation, latest first',
  auth: reads,
  errors: ['allocation_not_found', 'cursor_invalid'],
  params: allocation,
  query: Type.Object(pageQuery, strict),
  response: page(StorageToken),
});

export const storageTokenRevoke = defineRoute({
  ...ofAllocation,
  id: 'storage_token_revoke',
  method: 'DELETE',
  path: '/api/v1/allocations/{allocation_id}/storage-tokens/{storage_token_id}',
  summary: 'Revoke a storage token of an allocation; it is refused from the next request on',
  auth: writes,
  idempotency: 'key',
  audit: 'storage.token.revoke',
  errors: ['allocation_not_found', 'storage_token_not_found', 'insufficient_permissions'],
  params: Type.Object({ allocation_id: Uuid, storage_token_id: Uuid }, strict),
  response: StorageToken,
});

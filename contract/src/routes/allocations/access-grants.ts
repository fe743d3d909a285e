import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../../ids.ts';
import { page, pageQuery } from '../../pages.ts';
import { defineRoute } from '../../route.ts';

const strict = { additionalProperties: false } as const;
const orNull = <const S extends Parameters<typeof Type.Union>[0][number]>(schema: S) =>
  Type.Union([schema, Type.Null()]);
const Reason = Type.String({ maxLength: 500, pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]*$' });
const shared = {
  tag: 'Allocations',
  tenancy: { kind: 'owner-of', param: 'allocation_id' },
  lane: 'default',
} as const;
const person = { kind: 'user', scope: 'allocations:write', serviceAccounts: 'refused' } as const;
const ofOne = Type.Object({ allocation_id: Uuid, access_grant_id: Uuid }, strict);

/** A person may work in an allocation of another one until a time: terminals, SSH, and keys on the machine. */
export const AccessGrant = Type.Object(
  {
    id: Uuid,
    organization_id: Uuid,
    project_id: Uuid,
    allocation_id: Uuid,
    user_id: Type.String({ ...Uuid, description: 'Who may work in it.' }),
    ssh_key_id: orNull(
      Type.String({ ...Uuid, description: 'The only key of the person that is installed; null for all of them.' }),
    ),
    reason: Reason,
    granted_by: Uuid,
    state: Type.Enum(['active', 'expired', 'revoked']),
    created_at: Timestamp,
    expires_at: Timestamp,
    revoked_at: orNull(Timestamp),
    revoked_by: orNull(Uuid),
  },
  { $id: 'AccessGrant', ...strict },
);
export type AccessGrant = Static<typeof AccessGrant>;

export const accessGrantCreate = defineRoute({
  ...shared,
  id: 'access_grant_create',
  method: 'POST',
  path: '/api/v1/allocations/{allocation_id}/access-grants',
  summary: 'Let another member work in an allocation until a time',
  auth: person,
  idempotency: 'key',
  audit: 'allocation.access_grant.create',
  errors: [
    'allocation_not_found',
    'illegal_transition',
    'ownership_required',
    'member_not_found',
    'ssh_key_not_found',
    'access_grant_exists',
    'access_grant_limit',
    'validation_error',
  ],
  status: 201,
  params: Type.Object({ allocation_id: Uuid }, strict),
  body: Type.Object(
    {
      user_id: Uuid,
      ssh_key_id: Type.Optional(
        Type.String({ ...Uuid, description: 'One key of that person, instead of all of them.' }),
      ),
      expires_at: Timestamp,
      reason: Type.Optional(Reason),
    },
    strict,
  ),
  response: AccessGrant,
});

export const accessGrantList = defineRoute({
  ...shared,
  id: 'access_grant_list',
  method: 'GET',
  path: '/api/v1/allocations/{allocation_id}/access-grants',
  summary: 'Who else may work in an allocation, and who might, latest first',
  auth: { kind: 'user', scope: 'allocations:read', serviceAccounts: 'allowed' },
  errors: ['allocation_not_found', 'cursor_invalid'],
  params: Type.Object({ allocation_id: Uuid }, strict),
  query: Type.Object(
    {
      ...pageQuery,
      active: Type.Optional(
        Type.Boolean({
          description: 'true: those that work now; false: expired and revoked ones; both when left out.',
        }),
      ),
    },
    strict,
  ),
  response: page(AccessGrant),
});

export const accessGrantUpdate = defineRoute({
  ...shared,
  id: 'access_grant_update',
  method: 'PATCH',
  path: '/api/v1/allocations/{allocation_id}/access-grants/{access_grant_id}',
  summary: 'Change when a grant ends',
  auth: person,
  idempotency: 'key',
  audit: 'allocation.access_grant.update',
  errors: [
    'allocation_not_found',
    'access_grant_not_found',
    'ownership_required',
    'illegal_transition',
    'validation_error',
  ],
  params: ofOne,
  body: Type.Object({ expires_at: Timestamp }, strict),
  response: AccessGrant,
});

export const accessGrantRevoke = defineRoute({
  ...shared,
  id: 'access_grant_revoke',
  method: 'DELETE',
  path: '/api/v1/allocations/{allocation_id}/access-grants/{access_grant_id}',
  summary: 'End a grant: its sessions and its keys on the machine go within seconds',
  auth: person,
  idempotency: 'key',
  audit: 'allocation.access_grant.revoke',
  errors: ['allocation_not_found', 'access_grant_not_found', 'ownership_required'],
  params: ofOne,
  response: AccessGrant,
});

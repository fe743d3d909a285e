import { type Static, Type } from 'typebox';
import { Name, TenantRoleName, Timestamp, Uuid } from '../../ids.ts';
import { page, pageQuery } from '../../pages.ts';
import { defineRoute } from '../../route.ts';
import { recentSignIn } from '../../step-up.ts';

const strict = { additionalProperties: false } as const;
export const PlatformRoleName = Type.Enum([
  'platform_superadmin',
  'platform_ops',
  'platform_finance',
  'platform_support',
]);
const userStates = ['active', 'disabled', 'erased'] as const;

/** A person as operators see them, in any organization. */
export const AdminUser = Type.Object(
  {
    id: Uuid,
    username: Type.String({ description: 'The name of the person on hosts.' }),
    display_name: Type.Union([Name, Type.Null()], { description: 'The display name of the person.' }),
    issuer: Type.String({ description: 'Where the person signs in.' }),
    subject: Type.String({ description: 'The subject of the person at the issuer.' }),
    state: Type.Enum([...userStates]),
    disabled_at: Type.Union([Timestamp, Type.Null()]),
    disabled_reason: Type.Union([Type.String(), Type.Null()]),
    platform_roles: Type.Array(PlatformRoleName),
    organizations: Type.Integer({ description: 'How many organizations the person belongs to.' }),
    last_seen_at: Type.Union([Timestamp, Type.Null()]),
    created_at: Timestamp,
  },
  { $id: 'AdminUser', ...strict },
);
export type AdminUser = Static<typeof AdminUser>;

export const AdminUserDetail = Type.Object(
  {
    ...AdminUser.properties,
    organization_list: Type.Array(
      Type.Object({ organization_id: Uuid, name: Type.String(), role: TenantRoleName, joined_at: Timestamp }, strict),
      { description: 'At most 200.' },
    ),
    sessions: Type.Integer({ description: 'Active sign-ins.' }),
    personal_tokens: Type.Integer({ description: 'Valid tokens.' }),
    ssh_keys: Type.Integer(),
    allocations: Type.Integer({ description: 'Allocations that the person created and that have not ended.' }),
  },
  { $id: 'AdminUserDetail', ...strict },
);
export type AdminUserDetail = Static<typeof AdminUserDetail>;

export const PlatformRoleHolder = Type.Object(
  {
    user_id: Uuid,
    username: Type.String(),
    display_name: Type.Union([Name, Type.Null()]),
    state: Type.Enum([...userStates]),
    roles: Type.Array(
      Type.Object(
        {
          role: PlatformRoleName,
          granted_at: Timestamp,
          granted_by: Type.Union([Type.String(), Type.Null()], {
            description: 'Who granted it; null if it was granted before this was recorded.',
          }),
        },
        strict,
      ),
    ),
  },
  { $id: 'PlatformRoleHolder', ...strict },
);
export type PlatformRoleHolder = Static<typeof PlatformRoleHolder>;

const tag = 'AdminUsers';
const tenancy = {
  kind: 'none',
  why: 'Operators manage all people, in any organization.',
} as const;
const reading = { tag, auth: { kind: 'admin', scope: 'users:read' }, tenancy, lane: 'admin' } as const;
const writing = {
  tag,
  tenancy,
  lane: 'admin',
  idempotency: 'key',
  stepUp: recentSignIn,
} as const;
const ofUser = Type.Object({ user_id: Uuid }, strict);
const because = Type.Object(
  { reason: Type.String({ minLength: 3, maxLength: 500, description: 'Why; kept in the audit log.' }) },
  strict,
);

const uuidPattern = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

export const userList = defineRoute({
  ...reading,
  id: 'user_list',
  method: 'GET',
  path: '/api/v1/admin/users',
  summary: 'Everyone who has signed in, newest first',
  errors: ['cursor_invalid'],
  query: Type.Object(
    {
      ...pageQuery,
      q: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 200,
          description: 'Part of the subject, of the name on hosts or of the display name, or a whole id.',
        }),
      ),
      state: Type.Optional(Type.Enum([...userStates])),
      ids: Type.Optional(
        Type.String({
          pattern: `^${uuidPattern}(?:,${uuidPattern}){0,99}$`,
          maxLength: 3_699,
          description: 'Only these people: up to 100 ids, separated by commas.',
        }),
      ),
    },
    strict,
  ),
  response: page(AdminUser),
});

export const userGet = defineRoute({
  ...reading,
  id: 'user_get',
  method: 'GET',
  path: '/api/v1/admin/users/{user_id}',
  summary: 'One person, with organizations and credentials',
  errors: ['user_not_found'],
  params: ofUser,
  response: AdminUserDetail,
});

export const userDisable = defineRoute({
  ...writing,
  auth: { kind: 'admin', scope: 'users:admin' },
  id: 'user_disable',
  method: 'POST',
  path: '/api/v1/admin/users/{user_id}/disable',
  summary: 'Disable a person: ends every session, revokes every personal token, and refuses new sign-ins',
  audit: 'user.disable',
  errors: ['user_not_found', 'user_erased', 'insufficient_permissions', 'last_operator'],
  params: ofUser,
  body: because,
  response: AdminUser,
});

export const userEnable = defineRoute({
  ...writing,
  auth: { kind: 'admin', scope: 'users:admin' },
  id: 'user_enable',
  method: 'POST',
  path: '/api/v1/admin/users/{user_id}/enable',
  summary: 'Enable a person again; ended sessions and revoked tokens stay so',
  audit: 'user.enable',
  errors: ['user_not_found', 'user_erased', 'insufficient_permissions'],
  params: ofUser,
  body: because,
  response: AdminUser,
});

export const userDelete = defineRoute({
  ...writing,
  auth: { kind: 'admin', scope: 'users:admin' },
  id: 'user_delete',
  method: 'DELETE',
  path: '/api/v1/admin/users/{user_id}',
  summary:
    'Erase a person: names, memberships, keys, tokens, sessions; the id stays, so that the audit log still verifies',
  audit: 'user.delete',
  errors: [
    'user_not_found',
    'user_erased',
    'insufficient_permissions',
    'last_operator',
    'last_owner',
    'user_has_allocations',
  ],
  params: ofUser,
  body: because,
  response: AdminUser,
});

export const platformRoleList = defineRoute({
  ...reading,
  id: 'platform_role_list',
  method: 'GET',
  path: '/api/v1/admin/platform-roles',
  summary: 'Platform roles: who has one, since when and from whom',
  errors: ['cursor_invalid'],
  query: Type.Object(pageQuery, strict),
  response: page(PlatformRoleHolder),
});

const ofRole = Type.Object({ user_id: Uuid, role: PlatformRoleName }, strict);
const granting = { ...writing, auth: { kind: 'admin', scope: 'roles:admin' } } as const;

export const platformRoleGrant = defineRoute({
  ...granting,
  id: 'platform_role_grant',
  method: 'PUT',
  path: '/api/v1/admin/users/{user_id}/roles/{role}',
  summary: 'Give a person a platform role',
  audit: 'platform_role.grant',
  errors: ['user_not_found', 'user_erased'],
  params: ofRole,
  body: because,
  response: AdminUser,
});

export const platformRoleRevoke = defineRoute({
  ...granting,
  id: 'platform_role_revoke',
  method: 'DELETE',
  path: '/api/v1/admin/users/{user_id}/roles/{role}',
  summary: 'Revoke a platform role; the last superadmin keeps it',
  audit: 'platform_role.revoke',
  errors: ['user_not_found', 'platform_role_not_found', 'last_operator'],
  params: ofRole,
  body: because,
  response: AdminUser,
});

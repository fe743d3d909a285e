import { type Static, Type } from 'typebox';
import { Name, Slug, TenantRoleName, Uuid } from '../ids.ts';
import { entitlements } from '../permissions.ts';
import { defineRoute } from '../route.ts';

export const DefaultProject = Type.Object(
  {
    project_id: Type.Union([Uuid, Type.Null()], {
      description: 'Null when none was chosen, or the chosen one no longer exists.',
    }),
  },
  { $id: 'DefaultProject', additionalProperties: false },
);
export type DefaultProject = Static<typeof DefaultProject>;

/** The caller: what a console or a command line needs first. */
export const Me = Type.Object(
  {
    id: Uuid,
    display_name: Type.Union([Name, Type.Null()], { description: 'The display name of the person.' }),
    platform_roles: Type.Array(
      Type.Enum(['platform_superadmin', 'platform_ops', 'platform_finance', 'platform_support']),
    ),
    organizations: Type.Array(
      Type.Object(
        { id: Uuid, resource_name: Type.String(), name: Name, slug: Slug, role: TenantRoleName },
        { additionalProperties: false },
      ),
      { description: 'The first 200; GET /api/v1/organizations has all of them.' },
    ),
    default_project_id: Type.Union([Uuid, Type.Null()]),
    permissions: Type.Array(
      Type.Object(
        {
          role: Type.Enum([...entitlements], {
            description: 'The source of the rights: being signed in, a platform role, or this role in an organization.',
          }),
          operations: Type.Array(Type.String(), {
            description: 'The ids of operations, as in the API description.',
          }),
        },
        { additionalProperties: false },
      ),
      { description: 'What the caller may do, so that a console offers nothing that would be refused.' },
    ),
    personal_token_max_days: Type.Integer({
      description: 'The longest life of a personal token that the policy allows.',
    }),
    gpu_time_speed: Type.Integer({
      minimum: 1,
      description: 'How many times as fast GPU time passes on simulated hosts; 1 where it passes as on real ones.',
    }),
    posix: Type.Object(
      {
        uid: Type.Integer(),
        gid: Type.Integer(),
        username: Type.String(),
      },
      { additionalProperties: false, description: 'Who this person is on every host; it never changes.' },
    ),
  },
  { $id: 'Me', additionalProperties: false },
);
export type Me = Static<typeof Me>;

export const meGet = defineRoute({
  id: 'me_get',
  method: 'GET',
  path: '/api/v1/me',
  tag: 'Me',
  summary: 'The caller: identity, organizations and permissions',
  auth: { kind: 'user', scope: 'profile:read', serviceAccounts: 'refused' },
  tenancy: { kind: 'self' },
  lane: 'default',
  errors: ['user_not_found'],
  response: Me,
});

export const meUpdate = defineRoute({
  id: 'me_update',
  method: 'PATCH',
  path: '/api/v1/me',
  tag: 'Me',
  summary: 'Set the display name, which members of shared organizations see',
  auth: { kind: 'user', scope: 'profile:write', serviceAccounts: 'refused' },
  tenancy: { kind: 'self' },
  lane: 'default',
  idempotency: 'key',
  audit: 'profile.update',
  errors: [],
  body: Type.Object(
    { display_name: Type.Union([Name, Type.Null()], { description: 'Null removes the name.' }) },
    { additionalProperties: false },
  ),
  response: Type.Object({ display_name: Type.Union([Name, Type.Null()]) }, { additionalProperties: false }),
});

export const defaultProjectGet = defineRoute({
  id: 'default_project_get',
  method: 'GET',
  path: '/api/v1/me/default-project',
  tag: 'Me',
  summary: 'The default project of the caller',
  auth: { kind: 'user', scope: 'profile:read', serviceAccounts: 'refused' },
  tenancy: { kind: 'self' },
  lane: 'default',
  errors: [],
  response: DefaultProject,
});

export const defaultProjectSet = defineRoute({
  id: 'default_project_set',
  method: 'PUT',
  path: '/api/v1/me/default-project',
  tag: 'Me',
  summary: 'Set the default project of the caller',
  auth: { kind: 'user', scope: 'profile:write', serviceAccounts: 'refused' },
  tenancy: { kind: 'self' },
  lane: 'default',
  idempotency: 'key',
  audit: 'default_project.set',
  errors: ['project_not_found'],
  body: Type.Object({ project_id: Uuid }, { additionalProperties: false }),
  response: DefaultProject,
});

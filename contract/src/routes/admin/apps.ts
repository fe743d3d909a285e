import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../../ids.ts';
import { page, pageQuery } from '../../pages.ts';
import { defineRoute } from '../../route.ts';
import { recentSignIn } from '../../step-up.ts';
import { AppLifecycle, AppTrust, AppVersion, RevocationEffectName } from '../apps/objects.ts';

const strict = { additionalProperties: false } as const;
const tag = 'AdminApps';
const tenancy = { kind: 'none', why: 'Operators decide about the apps of every publisher.' } as const;

export const adminAppVersionList = defineRoute({
  id: 'admin_app_version_list',
  method: 'GET',
  path: '/api/v1/admin/app-versions',
  tag,
  summary: 'The trust board: versions of all apps, newest first',
  auth: { kind: 'admin', scope: 'apps:admin' },
  tenancy,
  lane: 'admin',
  errors: ['cursor_invalid'],
  query: Type.Object(
    {
      ...pageQuery,
      lifecycle_state: Type.Optional(AppLifecycle),
      trust_state: Type.Optional(AppTrust),
      organization_id: Type.Optional(Uuid),
    },
    strict,
  ),
  response: page(AppVersion),
});

const Affected = Type.Array(Type.Object({ organization_id: Uuid, project_id: Uuid, app_instance_id: Uuid }, strict), {
  maxItems: 1_000,
  description: 'Instances that run it at this moment, the oldest first.',
});

export const adminAppVersionAffected = defineRoute({
  id: 'admin_app_version_affected',
  method: 'GET',
  path: '/api/v1/admin/app-versions/{app_version_id}/affected',
  tag,
  summary: 'Whom a revocation of this version would affect: the instances that run it, and how many there are in all',
  auth: { kind: 'admin', scope: 'apps:admin' },
  tenancy,
  lane: 'admin',
  errors: ['app_version_not_found'],
  params: Type.Object({ app_version_id: Uuid }, strict),
  response: Type.Object(
    {
      instances: Type.Integer({ minimum: 0 }),
      organizations: Type.Integer({ minimum: 0 }),
      projects: Type.Integer({ minimum: 0 }),
      affected: Affected,
    },
    strict,
  ),
});

export const adminAppVersionRevoke = defineRoute({
  id: 'admin_app_version_revoke',
  method: 'POST',
  path: '/api/v1/admin/app-versions/{app_version_id}/revoke',
  tag,
  summary:
    'Revoke the trust in a version for good: nobody launches it any more; the effect says what becomes of what runs',
  auth: { kind: 'admin', scope: 'apps:admin' },
  tenancy,
  stepUp: recentSignIn,
  lane: 'admin',
  idempotency: 'key',
  audit: 'app.version.revoke',
  errors: ['app_version_not_found', 'illegal_transition'],
  params: Type.Object({ app_version_id: Uuid }, strict),
  body: Type.Object({ reason: Type.String({ minLength: 1, maxLength: 500 }), effect: RevocationEffectName }, strict),
  response: Type.Object(
    {
      version: AppVersion,
      affected: Affected,
    },
    strict,
  ),
});

const registryName = '^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?(?::[0-9]{1,5})?$';
const repositoryPrefix = '^(?:[a-z0-9]+(?:[._-]+[a-z0-9]+)*(?:/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*)?$';
export const AppSource = Type.Object(
  {
    id: Uuid,
    registry: Type.String({ description: 'The name of the registry, with its port where it has one.' }),
    repository: Type.String({ description: 'Only repositories below this path; empty: all of the registry.' }),
    created_at: Timestamp,
  },
  { $id: 'AppSource', ...strict },
);
export type AppSource = Static<typeof AppSource>;

export const adminAppSourceList = defineRoute({
  id: 'admin_app_source_list',
  method: 'GET',
  path: '/api/v1/admin/app-sources',
  tag,
  summary: 'The registries that images of verified apps may come from; verification asks no others',
  auth: { kind: 'admin', scope: 'apps:admin' },
  tenancy,
  lane: 'admin',
  errors: ['cursor_invalid'],
  query: Type.Object(pageQuery, strict),
  response: page(AppSource),
});

export const adminAppSourceCreate = defineRoute({
  id: 'admin_app_source_create',
  method: 'POST',
  path: '/api/v1/admin/app-sources',
  tag,
  summary: 'Let images of verified apps come from a registry, or from a part of it',
  auth: { kind: 'admin', scope: 'apps:admin' },
  tenancy,
  stepUp: recentSignIn,
  lane: 'admin',
  idempotency: 'key',
  audit: 'app.source.create',
  errors: ['app_source_exists'],
  status: 201,
  body: Type.Object(
    {
      registry: Type.String({ pattern: registryName, maxLength: 260 }),
      repository: Type.Optional(Type.String({ pattern: repositoryPrefix, maxLength: 255 })),
    },
    strict,
  ),
  response: AppSource,
});

export const adminAppSourceDelete = defineRoute({
  id: 'admin_app_source_delete',
  method: 'DELETE',
  path: '/api/v1/admin/app-sources/{app_source_id}',
  tag,
  summary: 'Take a source back: nothing from there is verified any more; what was verified stays so',
  auth: { kind: 'admin', scope: 'apps:admin' },
  tenancy,
  stepUp: recentSignIn,
  lane: 'admin',
  idempotency: 'key',
  audit: 'app.source.delete',
  errors: ['app_source_not_found'],
  params: Type.Object({ app_source_id: Uuid }, strict),
  response: AppSource,
});

import { Type } from 'typebox';
import { Uuid } from '../../ids.ts';
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
      affected: Type.Array(Type.Object({ organization_id: Uuid, project_id: Uuid, app_instance_id: Uuid }, strict), {
        maxItems: 1_000,
        description: 'Instances that ran it at this moment, the oldest first.',
      }),
    },
    strict,
  ),
});

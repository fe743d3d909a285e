import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../../ids.ts';
import { page, pageQuery } from '../../pages.ts';
import { defineRoute } from '../../route.ts';
import { AppVersion } from './objects.ts';

const strict = { additionalProperties: false } as const;
const read = { kind: 'user', scope: 'apps:read', serviceAccounts: 'allowed' } as const;
const publish = { kind: 'user', scope: 'apps:publish', serviceAccounts: 'allowed' } as const;
const tag = 'Apps';
const ofApp = { kind: 'owner-of', param: 'app_id' } as const;
const ofVersion = { kind: 'owner-of', param: 'app_version_id' } as const;
const appParams = Type.Object({ app_id: Uuid }, strict);
const versionParams = Type.Object({ app_version_id: Uuid }, strict);
const revisionBody = Type.Object(
  { revision: Type.Optional(Type.Integer({ minimum: 1, description: 'Refuse if the version has changed since.' })) },
  strict,
);
const moveErrors = ['app_version_not_found', 'illegal_transition', 'version_conflict'] as const;

export const appVersionPromote = defineRoute({
  id: 'app_version_promote',
  method: 'POST',
  path: '/api/v1/app-versions/{app_version_id}/promote',
  tag,
  summary:
    'Move a version to its next channel: dev, test, staging, prod. In prod it is for everybody who finds the app',
  auth: publish,
  tenancy: ofVersion,
  lane: 'default',
  idempotency: 'key',
  audit: 'app.version.promote',
  errors: [...moveErrors, 'app_version_untrusted'],
  params: versionParams,
  body: revisionBody,
  response: AppVersion,
});
export const appVersionDeprecate = defineRoute({
  id: 'app_version_deprecate',
  method: 'POST',
  path: '/api/v1/app-versions/{app_version_id}/deprecate',
  tag,
  summary:
    'Deprecate a version that has a successor: it can still be launched, and no instance is upgraded to it any more',
  auth: publish,
  tenancy: ofVersion,
  lane: 'default',
  idempotency: 'key',
  audit: 'app.version.deprecate',
  errors: moveErrors,
  params: versionParams,
  body: revisionBody,
  response: AppVersion,
});
export const appVersionRetire = defineRoute({
  id: 'app_version_retire',
  method: 'POST',
  path: '/api/v1/app-versions/{app_version_id}/retire',
  tag,
  summary: 'Retire a version for good: nobody launches it any more; what runs goes on',
  auth: publish,
  tenancy: ofVersion,
  lane: 'default',
  idempotency: 'key',
  audit: 'app.version.retire',
  errors: moveErrors,
  params: versionParams,
  body: revisionBody,
  response: AppVersion,
});

export const AppEntitlement = Type.Object(
  {
    id: Uuid,
    app_id: Uuid,
    organization_id: Uuid,
    project_id: Type.Union([Uuid, Type.Null()], {
      description: 'Only this project of the organization; null: all of them.',
    }),
    created_at: Timestamp,
  },
  { $id: 'AppEntitlement', ...strict },
);
export type AppEntitlement = Static<typeof AppEntitlement>;

export const appEntitlementCreate = defineRoute({
  id: 'app_entitlement_create',
  method: 'POST',
  path: '/api/v1/apps/{app_id}/entitlements',
  tag,
  summary: 'Let another organization, or one project of it, find and launch an app that is not for everybody',
  auth: publish,
  tenancy: ofApp,
  lane: 'default',
  idempotency: 'key',
  audit: 'app.entitlement.create',
  errors: ['app_not_found', 'organization_not_found', 'app_already_entitled'],
  status: 201,
  params: appParams,
  body: Type.Object({ organization_id: Uuid, project_id: Type.Optional(Uuid) }, strict),
  response: AppEntitlement,
});
export const appEntitlementList = defineRoute({
  id: 'app_entitlement_list',
  method: 'GET',
  path: '/api/v1/apps/{app_id}/entitlements',
  tag,
  summary: 'Who may use an app besides those who find it anyway',
  auth: read,
  tenancy: ofApp,
  lane: 'default',
  errors: ['app_not_found', 'cursor_invalid'],
  params: appParams,
  query: Type.Object(pageQuery, strict),
  response: page(AppEntitlement),
});
export const appEntitlementDelete = defineRoute({
  id: 'app_entitlement_delete',
  method: 'DELETE',
  path: '/api/v1/apps/{app_id}/entitlements/{app_entitlement_id}',
  tag,
  summary: 'Revoke an entitlement: new instances are refused, what runs goes on',
  auth: publish,
  tenancy: ofApp,
  lane: 'default',
  idempotency: 'key',
  audit: 'app.entitlement.delete',
  errors: ['app_not_found', 'app_entitlement_not_found'],
  params: Type.Object({ app_id: Uuid, app_entitlement_id: Uuid }, strict),
  response: AppEntitlement,
});

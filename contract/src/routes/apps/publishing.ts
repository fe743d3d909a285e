import { Type } from 'typebox';
import { AppManifest } from '../../apps/manifest.ts';
import { Name, Slug, Uuid } from '../../ids.ts';
import { page, pageQuery } from '../../pages.ts';
import { defineRoute } from '../../route.ts';
import { App, AppLifecycle, AppSummary, AppTrust, AppVersion, AppVisibilityName } from './objects.ts';

const strict = { additionalProperties: false } as const;
const read = { kind: 'user', scope: 'apps:read', serviceAccounts: 'allowed' } as const;
const publish = { kind: 'user', scope: 'apps:publish', serviceAccounts: 'allowed' } as const;
const tag = 'Apps';
const ofProject = { kind: 'owner-of', param: 'project_id' } as const;
const ofApp = { kind: 'owner-of', param: 'app_id' } as const;
const ofVersion = { kind: 'owner-of', param: 'app_version_id' } as const;
const projectParams = Type.Object({ project_id: Uuid }, strict);
const appParams = Type.Object({ app_id: Uuid }, strict);
const versionParams = Type.Object({ app_version_id: Uuid }, strict);

export const appCreate = defineRoute({
  id: 'app_create',
  method: 'POST',
  path: '/api/v1/projects/{project_id}/apps',
  tag,
  summary: 'Create an app that this project publishes; versions follow',
  auth: publish,
  tenancy: ofProject,
  lane: 'default',
  idempotency: 'key',
  audit: 'app.create',
  errors: ['project_not_found', 'app_slug_taken', 'app_limit_reached'],
  status: 201,
  params: projectParams,
  body: Type.Object(
    { slug: Slug, name: Name, summary: Type.Optional(AppSummary), visibility: Type.Optional(AppVisibilityName) },
    strict,
  ),
  response: App,
});

export const appList = defineRoute({
  id: 'app_list',
  method: 'GET',
  path: '/api/v1/projects/{project_id}/apps',
  tag,
  summary: 'The apps that a project publishes',
  auth: read,
  tenancy: ofProject,
  lane: 'default',
  errors: ['project_not_found', 'cursor_invalid'],
  params: projectParams,
  query: Type.Object(pageQuery, strict),
  response: page(App),
});

export const appGet = defineRoute({
  id: 'app_get',
  method: 'GET',
  path: '/api/v1/apps/{app_id}',
  tag,
  summary: 'One app, for its publisher',
  auth: read,
  tenancy: ofApp,
  lane: 'default',
  errors: ['app_not_found'],
  params: appParams,
  response: App,
});

export const appUpdate = defineRoute({
  id: 'app_update',
  method: 'PATCH',
  path: '/api/v1/apps/{app_id}',
  tag,
  summary: 'Rename an app, or change who finds it',
  auth: publish,
  tenancy: ofApp,
  lane: 'default',
  idempotency: 'key',
  audit: 'app.update',
  errors: ['app_not_found'],
  params: appParams,
  body: Type.Object(
    {
      name: Type.Optional(Name),
      summary: Type.Optional(AppSummary),
      visibility: Type.Optional(AppVisibilityName),
    },
    { ...strict, minProperties: 1 },
  ),
  response: App,
});

export const appVersionPublish = defineRoute({
  id: 'app_version_publish',
  method: 'POST',
  path: '/api/v1/apps/{app_id}/versions',
  tag,
  summary: 'Publish a version of an app: its manifest, with the image by digest',
  auth: publish,
  tenancy: ofApp,
  lane: 'default',
  idempotency: 'key',
  audit: 'app.version.publish',
  errors: ['app_not_found', 'app_manifest_invalid', 'app_version_exists', 'app_limit_reached'],
  status: 201,
  params: appParams,
  body: Type.Object(
    {
      manifest: AppManifest,
    },
    strict,
  ),
  response: AppVersion,
});

export const appVersionList = defineRoute({
  id: 'app_version_list',
  method: 'GET',
  path: '/api/v1/apps/{app_id}/versions',
  tag,
  summary: 'The versions of an app, newest first, for its publisher',
  auth: read,
  tenancy: ofApp,
  lane: 'default',
  errors: ['app_not_found', 'cursor_invalid'],
  params: appParams,
  query: Type.Object(
    { ...pageQuery, lifecycle_state: Type.Optional(AppLifecycle), trust_state: Type.Optional(AppTrust) },
    strict,
  ),
  response: page(AppVersion),
});

export const appVersionGet = defineRoute({
  id: 'app_version_get',
  method: 'GET',
  path: '/api/v1/app-versions/{app_version_id}',
  tag,
  summary: 'One version of an app, with its manifest and evidence, for its publisher',
  auth: read,
  tenancy: ofVersion,
  lane: 'default',
  errors: ['app_version_not_found'],
  params: versionParams,
  response: AppVersion,
});

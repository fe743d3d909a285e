import { type Static, Type } from 'typebox';
import { AppManifest, AppVersionNumber } from '../../apps/manifest.ts';
import { Name, Slug, Timestamp, Uuid } from '../../ids.ts';
import { page, pageQuery } from '../../pages.ts';
import { defineRoute } from '../../route.ts';
import { AppChannelName, AppLifecycle, AppTrust } from './objects.ts';

const strict = { additionalProperties: false } as const;
const read = { kind: 'user', scope: 'apps:read', serviceAccounts: 'allowed' } as const;
const tag = 'Apps';

export const CatalogApp = Type.Object(
  {
    id: Uuid,
    publisher: Type.String(),
    slug: Slug,
    reference: Type.String({ description: 'publisher/slug' }),
    name: Name,
    summary: Type.String(),
    own: Type.Boolean({ description: 'Whether your organization publishes it.' }),
    created_at: Timestamp,
  },
  { $id: 'CatalogApp', ...strict },
);
export type CatalogApp = Static<typeof CatalogApp>;

export const CatalogVersion = Type.Object(
  {
    id: Uuid,
    version: AppVersionNumber,
    lifecycle_state: AppLifecycle,
    trust_state: AppTrust,
    channel: AppChannelName,
    launchable: Type.Boolean({ description: 'Whether your project may launch it now.' }),
    reason: Type.Union([Type.String(), Type.Null()], { description: 'Why not.' }),
    manifest: AppManifest,
    created_at: Timestamp,
  },
  { $id: 'CatalogVersion', ...strict },
);
export type CatalogVersion = Static<typeof CatalogVersion>;

export const catalogAppList = defineRoute({
  id: 'catalog_app_list',
  method: 'GET',
  path: '/api/v1/catalog/apps',
  tag,
  summary:
    'The apps that your project may find: its own, those of the organization, of everybody, and those it is entitled to',
  auth: read,
  tenancy: { kind: 'header' },
  lane: 'default',
  errors: ['cursor_invalid'],
  query: Type.Object(pageQuery, strict),
  response: page(CatalogApp),
});
export const catalogVersionList = defineRoute({
  id: 'catalog_version_list',
  method: 'GET',
  path: '/api/v1/catalog/apps/{app_id}/versions',
  tag,
  summary: 'The versions of an app that your project may see, newest first, and whether it may launch them',
  auth: read,
  tenancy: { kind: 'header' },
  lane: 'default',
  errors: ['app_not_found', 'cursor_invalid'],
  params: Type.Object({ app_id: Uuid }, strict),
  query: Type.Object(pageQuery, strict),
  response: page(CatalogVersion),
});

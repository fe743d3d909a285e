import type { Promised } from './list.ts';

const uuid = '01900000-0000-7000-8000-00000000c1c1';

/** Promises of published apps. */
export const appChecks: Readonly<Record<string, Promised>> = {
  app_versions_promoted: {
    promise: 'a version that others may use has come through all channels',
    table: 'app_versions',
    row: { state: 'promoted', channel: 'staging', retired_at: null },
  },
  app_versions_published: {
    promise: 'a version that was not promoted is not in prod',
    table: 'app_versions',
    row: { state: 'published', channel: 'prod', retired_at: null },
  },
  app_versions_retired: {
    promise: 'a retired version says since when, and no other one does',
    table: 'app_versions',
    row: { state: 'retired', channel: 'prod', retired_at: null },
  },
  app_version_trust_revoked: {
    promise: 'a revocation says why and what becomes of instances, and nothing else does',
    table: 'app_version_trust',
    row: { state: 'revoked', revocation_reason: 'x', revocation_effect: null },
  },
  app_version_trust_answered: {
    promise: 'an answer of verification says when it was given',
    table: 'app_version_trust',
    row: { state: 'verified', verified_at: null },
  },
};

export const appUniqueness: Readonly<Record<string, Promised>> = {
  app_sources_once: {
    promise: 'a source of images is named once',
    table: 'app_sources',
    row: { registry: 'registry.example.com', repository: 'team' },
  },
  app_signing_keys_once: {
    promise: 'a project pins a key once',
    table: 'app_signing_keys',
    row: { project_id: uuid, kind: 'ed25519', fingerprint: `sha256:${'c1'.repeat(32)}` },
  },
  apps_organization_id_id_key: {
    promise: 'a version and an entitlement belong to an app of the publisher that they name',
    table: 'apps',
    row: { organization_id: uuid, id: uuid },
    aside: 'apps_pkey',
  },
  app_versions_organization_id_id_key: {
    promise: 'the trust in a version belongs to the publisher of the version',
    table: 'app_versions',
    row: { organization_id: uuid, id: uuid },
    aside: 'app_versions_pkey',
  },
  apps_reference: {
    promise: 'publisher and slug name one app',
    table: 'apps',
    row: { publisher: 'acme', slug: 'notebook' },
  },
  app_versions_number: {
    promise: 'an app has a version once: what 1.2.0 is never changes',
    table: 'app_versions',
    row: { app_id: uuid, number: '1.2.0' },
  },
  app_entitlements_once: {
    promise: 'an organization or project is entitled to an app once',
    table: 'app_entitlements',
    row: { app_id: uuid, organization_id: uuid, project_id: null },
  },
};

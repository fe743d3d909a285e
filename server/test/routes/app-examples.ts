import { generateKeyPairSync } from 'node:crypto';
import { putVersion, testManifest } from '../../src/domains/apps/testing.ts';
import { systemIds } from '../../src/kernel/id.ts';
import { asSystem, type Tenant, type World } from '../../src/testing/world.ts';
import { appInstanceExamples } from './app-instance-examples.ts';
import type { MakeExample } from './examples.ts';

const unique = () => `app-${systemIds.next().slice(-12)}`;
const ofApp: MakeExample = async (world, tenant) => ({ params: { app_id: (await putVersion(world, tenant)).appId } });
const ofVersion: MakeExample = async (world, tenant) => ({
  params: { app_version_id: (await putVersion(world, tenant)).versionId },
});
const project: MakeExample = async (_, tenant) => ({ params: { project_id: tenant.projectId } });
const publicKey = () => generateKeyPairSync('ed25519').publicKey.export({ format: 'pem', type: 'spki' }).toString();
const withoutVersion = async (world: World, tenant: Tenant) => {
  const slug = unique();
  return { slug, appId: (await putVersion(world, tenant, { slug, version: '0.0.1' })).appId };
};

export const appExamples: Readonly<Record<string, MakeExample>> = {
  ...appInstanceExamples,
  app_create: async (...of) => ({
    ...(await project(...of)),
    body: { slug: unique(), name: 'Example', summary: 'An example.', visibility: 'organization' },
  }),
  app_list: project,
  app_get: ofApp,
  app_update: async (...of) => ({ ...(await ofApp(...of)), body: { name: 'Another' } }),
  app_version_publish: async (world, tenant) => {
    const { slug, appId } = await withoutVersion(world, tenant);
    return { params: { app_id: appId }, body: { manifest: testManifest({ slug }) } };
  },
  app_version_list: ofApp,
  app_version_get: ofVersion,
  app_version_promote: async (...of) => ({ ...(await ofVersion(...of)), body: {} }),
  app_version_deprecate: async (world, tenant) => ({
    params: {
      app_version_id: (await putVersion(world, tenant, { lifecycle: 'promoted', trust: 'verified' })).versionId,
    },
    body: {},
  }),
  app_version_retire: async (...of) => ({ ...(await ofVersion(...of)), body: {} }),
  app_entitlement_create: async (world, tenant) => ({
    params: { app_id: (await putVersion(world, tenant)).appId },
    body: { organization_id: tenant.organizationId },
  }),
  app_entitlement_list: ofApp,
  app_entitlement_delete: async (world, tenant) => {
    const { appId } = await putVersion(world, tenant);
    const id = systemIds.next();
    await asSystem(
      world.root,
      'insert into app_entitlements (id, publisher_id, app_id, organization_id) values ($1, $2, $3, $2)',
      [id, tenant.organizationId, appId],
    );
    return { params: { app_id: appId, app_entitlement_id: id } };
  },
  app_version_verify: ofVersion,
  app_push_credential_create: ofApp,
  app_signing_key_create: async (...of) => ({
    ...(await project(...of)),
    body: { name: 'release', public_key: publicKey() },
  }),
  app_signing_key_list: project,
  app_signing_key_delete: async (world, tenant) => {
    const id = systemIds.next();
    await asSystem(
      world.root,
      `insert into app_signing_keys (id, organization_id, project_id, name, kind, public_key, fingerprint)
       values ($1, $2, $3, 'release', 'ed25519', 'x', 'sha256:' || encode(sha256($4::text::bytea), 'hex'))`,
      [id, tenant.organizationId, tenant.projectId, id],
    );
    return { params: { project_id: tenant.projectId, app_signing_key_id: id } };
  },
  catalog_app_list: async () => ({}),
  admin_app_source_list: async () => ({}),
  admin_app_source_create: async () => ({ body: { registry: `${unique()}.example.com` } }),
  admin_app_source_delete: async (world) => {
    const id = systemIds.next();
    await asSystem(world.root, "insert into app_sources (id, registry, repository) values ($1, $2, '')", [
      id,
      unique(),
    ]);
    return { params: { app_source_id: id } };
  },
  admin_app_version_affected: ofVersion,
  catalog_version_list: ofApp,
  admin_app_version_list: async () => ({}),
  admin_app_version_revoke: async (...of) => ({
    ...(await ofVersion(...of)),
    body: { reason: 'an example', effect: 'stop' },
  }),
};

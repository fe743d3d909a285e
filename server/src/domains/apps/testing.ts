import type { AppManifest } from '@gpuaas/contract';
import { systemIds } from '../../kernel/id.ts';
import { asSystem, type Tenant, type World } from '../../testing/world.ts';

export const testDigest = `sha256:${'ab'.repeat(32)}`;

/** A manifest with every section, in order. */
export const testManifest = (changed: { slug?: string; version?: string; image?: string } = {}): AppManifest => ({
  schema: 'gpuaas.app/v1',
  profile: 'gpuaas.launchable_oci_workload',
  metadata: {
    slug: changed.slug ?? 'echo',
    name: 'Echo',
    version: changed.version ?? '1.0.0',
    summary: 'Answers what it is asked.',
    license: 'Apache-2.0',
    homepage: 'https://example.com/echo',
    tags: ['example'],
  },
  runtime: {
    image: changed.image ?? `registry.example.com/demo/echo@${testDigest}`,
    entrypoint: ['/usr/bin/echo-server'],
    args: ['--port=8080'],
    env: [{ name: 'ECHO_MODE', value: 'plain' }],
    user: { uid: 1_000, gid: 1_000 },
    file_system: { kind: 'read_only' },
    egress: 'none',
  },
  resources: { gpu: { min: 0, max: 1 }, cpu_millis: 500, memory_mib: 256, pids: 64 },
  parameters: {
    type: 'object',
    properties: {
      greeting: { type: 'string', title: 'Greeting', maxLength: 80, default: 'Hello', 'x-env': 'ECHO_GREETING' },
      lines: { type: 'integer', title: 'Lines', minimum: 1, maximum: 100, default: 3, 'x-arg': '--lines' },
      ratio: { type: 'number', title: 'Ratio', minimum: 0, maximum: 1 },
      loud: { type: 'boolean', title: 'Loud', default: false, 'x-arg': '--loud', 'x-ui': { widget: 'switch' } },
    },
    required: ['greeting'],
    additionalProperties: false,
  },
  endpoints: [
    { name: 'web', kind: 'browser', port: 8_080, auth: 'platform', health: { path: '/healthz', every_seconds: 5 } },
    { name: 'api', kind: 'api', port: 8_081, auth: 'bearer', health: { path: '/healthz' } },
  ],
  secrets: [{ name: 'token', env: 'ECHO_TOKEN', summary: 'What callers must know.', required: true, generated: true }],
  storage: [{ name: 'data', path: '/data', size_mib: 64 }],
  lifecycle: { start_timeout_seconds: 60, readiness: { endpoint: 'web', path: '/healthz' }, drain_seconds: 5 },
  metering: [
    { name: 'calls', unit: 'request', source: { kind: 'requests', endpoint: 'api' } },
    { name: 'tokens', unit: 'token', source: { kind: 'response_field', endpoint: 'api', field: 'usage.total_tokens' } },
  ],
  operating_mode: 'tenant_dedicated',
  control_plane_scope: 'project',
  tests: [{ name: 'greets', endpoint: 'web', path: '/', expect_status: 200, expect_text: 'Hello' }],
});

/** An app with one version, in any cell of lifecycle and trust, beside every machine. Trust `unverified` when left out. */
export async function putVersion(
  world: Pick<World, 'root'>,
  tenant: Pick<Tenant, 'organizationId' | 'projectId'>,
  as: {
    readonly lifecycle?: string;
    readonly trust?: string;
    readonly visibility?: string;
    readonly slug?: string;
    readonly version?: string;
    readonly appId?: string;
    /** Sections that are other ones than those of the usual manifest. */
    readonly change?: Partial<AppManifest>;
  } = {},
): Promise<{ readonly appId: string; readonly versionId: string; readonly reference: string }> {
  const { lifecycle = 'published', trust = 'unverified', visibility = 'project', version = '1.0.0' } = as;
  const slug = as.slug ?? `echo-${systemIds.next().slice(-12)}`;
  const [appId, versionId] = [as.appId ?? systemIds.next(), systemIds.next()];
  if (as.appId === undefined) {
    await asSystem(
      world.root,
      `insert into apps (id, organization_id, project_id, publisher, slug, name, summary, visibility)
       select $1, o.id, $3, o.slug, $4, 'Echo', 'Answers.', $5 from organizations o where o.id = $2`,
      [appId, tenant.organizationId, tenant.projectId, slug, visibility],
    );
  }
  const manifest = { ...testManifest({ slug, version }), ...as.change };
  await asSystem(
    world.root,
    `insert into app_versions (id, organization_id, app_id, number, manifest, manifest_digest, image_repository, image_digest)
     values ($1, $2, $3, $4, $5, $6, 'registry.example.com/demo/echo', $6)`,
    [versionId, tenant.organizationId, appId, version, JSON.stringify(manifest), testDigest],
  );
  for (const table of ['app_version_trust', 'app_verifications']) {
    await asSystem(world.root, `insert into ${table} (id, organization_id) values ($1, $2)`, [
      versionId,
      tenant.organizationId,
    ]);
  }
  for (const state of lifecyclePaths[lifecycle] ?? []) {
    await asSystem(
      world.root,
      `update app_versions set state = $2, version = version + 1, channel = 'prod',
         retired_at = case when $2 = 'retired' then now() end where id = $1`,
      [versionId, state],
    );
  }
  if (trust !== 'unverified') {
    await asSystem(
      world.root,
      `update app_version_trust set state = $2, version = version + 1, verified_at = now(),
         revocation_reason = case when $2 = 'revoked' then 'a test' end,
         revocation_effect = case when $2 = 'revoked' then 'stop' end where id = $1`,
      [versionId, trust],
    );
  }
  const { rows } = await world.root.query('select publisher from apps where id = $1', [appId]);
  return { appId, versionId, reference: `${rows[0].publisher}/${slug}` };
}
const lifecyclePaths: Readonly<Record<string, readonly string[]>> = {
  promoted: ['promoted'],
  deprecated: ['promoted', 'deprecated'],
  retired: ['promoted', 'retired'],
};

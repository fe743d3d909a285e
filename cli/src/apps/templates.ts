import type { AppManifest } from '@gpuaas/contract/apps';

/** Manifests to begin with. Their image is a place to fill in: a digest of zeros exists nowhere. */
const image = `registry.example.com/your/image@sha256:${'0'.repeat(64)}`;
const base = (slug: string): AppManifest => ({
  schema: 'gpuaas.app/v1',
  profile: 'gpuaas.launchable_oci_workload',
  metadata: { slug, name: slug, version: '0.1.0', summary: 'What it does, in a sentence.' },
  runtime: { image, user: { uid: 1_000, gid: 1_000 } },
  resources: { cpu_millis: 1_000, memory_mib: 1_024 },
  endpoints: [],
  lifecycle: { start_timeout_seconds: 120, drain_seconds: 10 },
  operating_mode: 'tenant_dedicated',
  control_plane_scope: 'project',
});
const web = { name: 'web', kind: 'browser', port: 8_080, auth: 'platform', health: { path: '/' } } as const;
const api = { name: 'api', kind: 'api', port: 8_000, auth: 'bearer', health: { path: '/health' } } as const;

export const templates = {
  browser: (slug: string): AppManifest => ({ ...base(slug), endpoints: [web] }),
  api: (slug: string): AppManifest => ({ ...base(slug), endpoints: [api] }),
  'model-server': (slug: string): AppManifest => ({
    ...base(slug),
    resources: { gpu: { min: 1, max: 8 }, cpu_millis: 8_000, memory_mib: 65_536, shm_mib: 8_192 },
    parameters: {
      type: 'object',
      properties: { model: { type: 'string', title: 'Model', maxLength: 200, 'x-arg': '--model' } },
      required: ['model'],
      additionalProperties: false,
    },
    endpoints: [api],
    storage: [{ name: 'models', path: '/models', size_mib: 204_800 }],
    lifecycle: { start_timeout_seconds: 1_800, readiness: { endpoint: 'api', path: '/health' }, drain_seconds: 60 },
    metering: [
      {
        ...{ name: 'output-tokens', unit: 'token' },
        source: { kind: 'response_field', endpoint: 'api', field: 'usage.completion_tokens' },
      },
    ],
  }),
  notebook: (slug: string): AppManifest => ({
    ...base(slug),
    resources: { gpu: { min: 0, max: 1 }, cpu_millis: 4_000, memory_mib: 16_384, shm_mib: 1_024 },
    endpoints: [{ ...web, port: 8_888 }],
    storage: [{ name: 'home', path: '/home/work', size_mib: 51_200 }],
    lifecycle: { start_timeout_seconds: 180, drain_seconds: 30, idle_stop_minutes: 60 },
  }),
  batch: (slug: string): AppManifest => base(slug),
} as const;
export type TemplateName = keyof typeof templates;

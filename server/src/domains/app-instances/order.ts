import { type AppManifest, renderParameters } from '@gpuaas/contract';
import type { TaskParams } from '@gpuaas/contract/node';
import { Fault } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import {
  longestVolume,
  pullSeconds,
  secretBytes,
  usualPids,
  usualScratchMib,
  usualShmMib,
  volumeSuffix,
} from './facts.ts';
import type { InstanceRow } from './store.ts';

/** What a manifest asks of its host, for one try. */
export function makeOrder(
  row: Pick<InstanceRow, 'id' | 'allocation_id' | 'parameters'>,
  of: {
    readonly manifest: AppManifest;
    readonly image: string;
    readonly gpuUuids: readonly string[];
    readonly workloadId: string;
    readonly correlationId: string;
    /** The public address of an endpoint. */
    readonly addressOf: (endpoint: string) => string | undefined;
    readonly ids: Ids;
  },
): TaskParams<'app.oci_launch'> | Fault<'app_not_supported'> {
  const { manifest } = of;
  const { runtime, resources, storage = [], secrets = [] } = manifest;
  const needed = resources.gpu?.min ?? 0;
  if (of.gpuUuids.length < needed) {
    return new Fault('app_not_supported', `The app needs ${needed} GPUs and the allocation has ${of.gpuUuids.length}.`);
  }
  const missing = secrets.find(({ required, generated }) => required && generated !== true);
  if (missing) {
    return new Fault(
      'app_not_supported',
      `The app needs the secret ${missing.name}, and this installation keeps none for apps yet.`,
    );
  }
  const rendered = renderParameters(manifest.parameters, row.parameters);
  const env = [
    ...(runtime.env ?? []),
    ...rendered.env,
    ...secrets
      .filter(({ generated }) => generated)
      .map((one) => ({ name: one.env, value: of.ids.secret(secretBytes) })),
    ...manifest.endpoints.flatMap((one) => {
      const address = of.addressOf(one.name);
      return one.base_path_env && address ? [{ name: one.base_path_env, value: address }] : [];
    }),
  ];
  return {
    ...{ allocation_id: row.allocation_id, workload_id: of.workloadId, image: of.image },
    labels: { instance_id: row.id, component: 'app', correlation_id: of.correlationId },
    ...(runtime.entrypoint && { command: runtime.entrypoint }),
    args: [...(runtime.args ?? []), ...rendered.args],
    // A later value takes the place of an earlier one of the same name.
    env: [...new Map(env.map((one) => [one.name, one])).values()],
    user: runtime.user,
    root: runtime.file_system ?? { kind: 'read_only' },
    ports: portsOf(manifest),
    volumes: storage.map(({ name, path, size_mib, read_only }) => ({
      ...{ name: volumeName(name, row.id), path, size_mib, read_only: read_only ?? false },
    })),
    limits: {
      cpu_millis: resources.cpu_millis,
      memory_mib: resources.memory_mib,
      pids: resources.pids ?? usualPids,
      shm_mib: resources.shm_mib ?? usualShmMib,
      scratch_mib: resources.scratch_mib ?? usualScratchMib,
    },
    gpu_uuids: of.gpuUuids.slice(0, resources.gpu?.max ?? 0),
    egress: runtime.egress ?? 'none',
    pull_seconds: pullSeconds,
  };
}

/** Volumes belong to the allocation: two instances there have their own. */
const volumeName = (name: string, instanceId: string): string => {
  const own = instanceId.replaceAll('-', '').slice(-volumeSuffix);
  return `${name.slice(0, longestVolume - own.length - 1)}-${own}`;
};

/** Each port once: two endpoints may share one. */
function portsOf({ endpoints }: AppManifest): TaskParams<'app.oci_launch'>['ports'] {
  const byPort = new Map(endpoints.map(({ name, port }) => [port, { name, port }]));
  return [...byPort.values()];
}

/** Where readiness is asked, by the manifest: undefined where a running container is enough. */
export function readinessOf(
  manifest: AppManifest,
): { readonly port: number; readonly path: string | null } | undefined {
  const { endpoints, lifecycle } = manifest;
  const named = endpoints.find(({ name }) => name === lifecycle.readiness?.endpoint);
  const endpoint = named ?? endpoints.find(({ health }) => health) ?? endpoints[0];
  if (!endpoint) return undefined;
  return { port: endpoint.port, path: lifecycle.readiness?.path ?? endpoint.health?.path ?? null };
}

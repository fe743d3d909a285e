import type { ReadinessAttestation, TaskParams } from '@gpuaas/contract/node';
import type { HostFailureCode } from './port.ts';

export interface Trouble {
  readonly code: HostFailureCode;
  readonly message: string;
}

/** The first reason not to hand this over, in the order in which a person would look. */
export function troubleIn(
  seen: ReadinessAttestation,
  expect: TaskParams<'allocation.attest'>['expect'],
): Trouble | undefined {
  if (seen.driver_version === '' || seen.cuda_version === '') {
    return { code: 'driver_unavailable', message: seen.nvidia_smi.detail };
  }
  const byUuid = new Map(seen.gpus.map((gpu) => [gpu.uuid, gpu]));
  const missing = expect.gpu_uuids.filter((uuid) => !byUuid.has(uuid));
  if (missing.length > 0) {
    const strangers = seen.gpus.filter(({ uuid }) => !expect.gpu_uuids.includes(uuid));
    return strangers.length > 0
      ? { code: 'gpu_mismatch', message: `${missing.join(', ')} was expected, ${strangers[0]?.uuid} is there.` }
      : {
          code: 'gpu_missing',
          message: `${seen.gpus.length} of ${expect.gpu_uuids.length} GPUs are there; ${missing.join(', ')} is not.`,
        };
  }
  const sick = seen.gpus.find(({ healthy }) => !healthy);
  if (sick) return { code: 'gpu_unhealthy', message: sick.detail ?? `${sick.uuid} is not well.` };
  const other = seen.gpus.find(
    ({ model, memory_mib }) => model !== expect.gpu_model || memory_mib !== expect.gpu_memory_mib,
  );
  if (other || seen.gpus.length !== expect.gpu_uuids.length) {
    return {
      code: 'gpu_mismatch',
      message: `${expect.gpu_uuids.length} × ${expect.gpu_model} with ${expect.gpu_memory_mib} MiB was expected, ${seen.gpus.length} × ${seen.gpus[0]?.model} with ${seen.gpus[0]?.memory_mib} MiB is there.`,
    };
  }
  if (!seen.nvidia_smi.passed) return { code: 'gpu_unhealthy', message: seen.nvidia_smi.detail };
  if (!seen.disk_clean.passed) return { code: 'disk_dirty', message: seen.disk_clean.detail };
  if (!seen.isolation.passed) return { code: 'isolation_failed', message: seen.isolation.detail };
  if (!seen.ssh.reachable) {
    return { code: 'ssh_unreachable', message: `Nobody answers at ${seen.ssh.address}:${seen.ssh.port}.` };
  }
  return undefined;
}

import type { HostTopology, OciWorkload, ReadinessAttestation } from '@gpuaas/contract/node';
import { fingerprintOfKey } from '../host/fingerprint.ts';
import type { ConsoleLine, Host, HostRuntime, Work } from '../host/port.ts';

/** A host that does nothing and remembers everything: what reached it, and what a test wants to happen there. */
export interface HostDouble extends Host {
  /** Names of the methods that have effects, in the order they were called. */
  readonly calls: { readonly method: string; readonly params: unknown; readonly generation: number | undefined }[];
  /** Runs in place of an effect; what it throws the host throws. */
  onCall: (method: string, params: unknown, work: Work | undefined) => Promise<void> | void;
  running: HostRuntime[];
  /** What it sees of every allocation. */
  gpus: string[];
  /** What its machines have written. */
  consoleLines: ConsoleLine[];
}

const proof = { passed: true, detail: 'seen' };

const workload = (id: string): OciWorkload => ({
  workload_id: id,
  state: 'running',
  place: 'host',
  simulated: true,
  image_digest: `sha256:${'a'.repeat(64)}`,
  started_at: '2026-01-01T00:00:00.000Z',
  finished_at: null,
  exit_code: null,
  out_of_memory: false,
  address: '10.101.0.10',
  ports: [],
});

export function makeHostDouble(): HostDouble {
  const calls: HostDouble['calls'] = [];
  const note = async (method: string, params: unknown, work?: Work) => {
    calls.push({ method, params, generation: work?.generation });
    await host.onCall(method, params, work);
  };
  const attestation = (allocationId: string): ReadinessAttestation => ({
    allocation_id: allocationId,
    taken_at: '2026-01-01T00:00:00.000Z',
    gpus: [],
    driver_version: '570',
    cuda_version: '12.8',
    nvidia_smi: proof,
    disk_clean: proof,
    isolation: proof,
    ssh: { reachable: true, address: '10.0.0.1', port: 22, username: 'u', host_key_fingerprint: 'SHA256:x' },
    durations_ms: {},
  });
  const topology: HostTopology = {
    hostname: 'double',
    kernel: 'none',
    cpu_count: 1,
    memory_mib: 1,
    numa_nodes: [],
    driver_version: null,
    cuda_version: null,
    slots: [],
    prerequisites: {
      kvm_available: false,
      iommu_group_count: 0,
      iommu_kernel_args: [],
      cloud_localds_available: false,
    },
    blockers: [],
  };
  const attesting = (method: string) => async (params: { readonly allocation_id: string }, work: Work) => {
    await note(method, params, work);
    return attestation(params.allocation_id);
  };
  const host: HostDouble = {
    kind: 'simulated',
    calls,
    onCall: () => undefined,
    running: [],
    gpus: [],
    consoleLines: [],
    async topology(work) {
      await note('topology', {}, work);
      return topology;
    },
    async health(work) {
      await note('health', {}, work);
      return { checks: { disk: proof }, healthy: true };
    },
    provisionSlice: attesting('provisionSlice'),
    async releaseSlice(params, work) {
      await note('releaseSlice', params, work);
      return { machine_absent: proof, disk_wiped: proof, devices_unbound: proof, reimaged: null };
    },
    provisionUser: attesting('provisionUser'),
    async revokeUser(params, work) {
      await note('revokeUser', params, work);
      return { user_absent: proof, processes_ended: proof };
    },
    async installKeys(params, work) {
      await note('installKeys', params, work);
      return params.authorized_keys.map(fingerprintOfKey);
    },
    attest: attesting('attest'),
    restart: attesting('restart'),
    async stop(params, work) {
      await note('stop', params, work);
      return { machine_stopped: proof };
    },
    start: attesting('start'),
    async reimage(params, work) {
      await note('reimage', params, work);
      return { reimaged: proof };
    },
    endRuntime: (allocationId) => note('endRuntime', allocationId),
    runtimes: async () => host.running,
    gpusOf: async () => host.gpus,
    conditions: async () => [],
    utilization: async () => [12, 40],
    samples: async () => [],
    consoles: async () => host.consoleLines.splice(0),
    images: async () => undefined,
    async launchContainer(params, work) {
      await note('launchContainer', params, work);
      return workload(params.workload_id);
    },
    async stopContainer(params, work) {
      await note('stopContainer', params, work);
      return { container_absent: proof, network_absent: proof, volumes_removed: null, exit_code: 0 };
    },
    containers: async () => [],
    containerLogs: async () => ({ simulated: true, truncated: false, lines: [] }),
    connectContainer: () => Promise.reject(new Error('the double has no containers to connect to')),
    openShell: () => Promise.reject(new Error('the double has no shells')),
    openStream: () => Promise.reject(new Error('the double has no streams')),
    close: async () => undefined,
  };
  return host;
}

import type { GpuEvidence, ReadinessAttestation } from '@gpuaas/contract/node';

/**
 * Whether a node attested what was promised. Nothing is taken for granted: a field that is missing, a GPU more
 * or less, another UUID, an older driver or a probe that did not pass is a problem, and one problem keeps an allocation
 * from ever being called active.
 */
export interface Promised {
  readonly allocationId: string;
  /** The login that was ordered; the node may not name another. */
  readonly username: string;
  readonly gpuModel: string;
  readonly gpuUuids: readonly string[];
  readonly gpuMemoryMib: number;
  /** The oldest driver and CUDA that the SKU allows; undefined when it does not say. */
  readonly minimumDriver: string | undefined;
  readonly minimumCuda: string | undefined;
}

/** Sentences for the receipt; empty when everything is as promised. */
export function findProblems(promised: Promised, attested: ReadinessAttestation): string[] {
  const problems: string[] = [];
  if (attested.allocation_id !== promised.allocationId) problems.push('The attestation names another allocation.');
  problems.push(...countAndNames(promised.gpuUuids, attested.gpus));
  for (const gpu of attested.gpus) problems.push(...oneGpu(promised, gpu));
  problems.push(...atLeast('driver', attested.driver_version, promised.minimumDriver));
  problems.push(...atLeast('CUDA', attested.cuda_version, promised.minimumCuda));
  if (!attested.nvidia_smi.passed) problems.push(`nvidia-smi: ${attested.nvidia_smi.detail}`);
  if (!attested.disk_clean.passed) problems.push(`The disk is not clean: ${attested.disk_clean.detail}`);
  if (!attested.isolation.passed) problems.push(`It is not isolated: ${attested.isolation.detail}`);
  problems.push(...wayIn(promised, attested.ssh));
  return problems;
}

/** A host name or an IP address. What people paste into a shell must not be an option or a command. */
const address = /^[\da-z:](?:[\da-z.:-]*[\da-z:])?$/i;

function wayIn(promised: Promised, ssh: ReadinessAttestation['ssh']): string[] {
  if (!ssh.reachable) return ['It cannot be reached by SSH.'];
  return [
    ...(ssh.username === promised.username ? [] : ['It names another login than the one that was ordered.']),
    ...(address.test(ssh.address) ? [] : ['Its address is neither a host name nor an IP address.']),
  ];
}

function countAndNames(wanted: readonly string[], found: readonly GpuEvidence[]): string[] {
  const problems: string[] = [];
  if (found.length !== wanted.length) problems.push(`It has ${found.length} of ${wanted.length} GPUs.`);
  const names = new Set(found.map(({ uuid }) => uuid));
  if (names.size !== found.length) problems.push('It names a GPU twice.');
  for (const uuid of wanted) if (!names.has(uuid)) problems.push(`${uuid} is missing.`);
  for (const uuid of names) if (!wanted.includes(uuid)) problems.push(`${uuid} does not belong to it.`);
  return problems;
}

function oneGpu(promised: Promised, gpu: GpuEvidence): string[] {
  const problems: string[] = [];
  if (gpu.model !== promised.gpuModel) problems.push(`${gpu.uuid} is a ${gpu.model}, not a ${promised.gpuModel}.`);
  if (gpu.memory_mib < promised.gpuMemoryMib) {
    problems.push(`${gpu.uuid} has ${gpu.memory_mib} of ${promised.gpuMemoryMib} MiB.`);
  }
  if (!gpu.healthy) problems.push(`${gpu.uuid} is not healthy: ${gpu.detail ?? 'no reason given'}.`);
  return problems;
}

function atLeast(what: string, found: string, minimum: string | undefined): string[] {
  if (found === '') return [`It does not say which ${what} it has.`];
  if (minimum === undefined || !isOlder(found, minimum)) return [];
  return [`Its ${what} ${found} is older than ${minimum}.`];
}

/** Dotted numbers, part by part; what is no number counts as older, since nothing good is known about it. */
function isOlder(found: string, minimum: string): boolean {
  const have = found.split('.').map(Number);
  const need = minimum.split('.').map(Number);
  for (const [index, part] of need.entries()) {
    const own = have[index] ?? 0;
    if (Number.isNaN(own) || own < part) return true;
    if (own > part) return false;
  }
  return false;
}

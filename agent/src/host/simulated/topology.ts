import type { HostTopology } from '@gpuaas/contract/node';
import type { HostParts } from './parts.ts';

/** What the host says it is made of. A fault takes away what it would take away on a real host. */
export function topologyOf({
  hardware,
  store,
  faults,
}: Pick<HostParts, 'hardware' | 'store' | 'faults'>): HostTopology {
  const missing = faults.find('gpu_missing')?.slot_index;
  return {
    hostname: hardware.hostname,
    simulated: true,
    kernel: '6.8.0-79-generic',
    cpu_count: hardware.cpuCount,
    memory_mib: hardware.memoryMib,
    numa_nodes: hardware.numaNodes.map(({ id, cpus, memoryMib }) => ({ id, cpus, memory_mib: memoryMib })),
    driver_version: faults.find('driver_unavailable') ? null : hardware.driverVersion,
    cuda_version: faults.find('driver_unavailable') ? null : hardware.cudaVersion,
    slots: hardware.slots
      .filter(({ slot_index }) => slot_index !== missing)
      .map((slot) => ({
        ...slot,
        blockers: [
          ...(faults.find('xid_79')?.slot_index === slot.slot_index ? ['The GPU has fallen off the bus.'] : []),
          ...(store.now.disks[slot.nvme_device ?? '']?.content === 'used' ? [`${slot.nvme_device} is in use.`] : []),
        ],
      })),
    capabilities: [
      { ability: 'slices', able: true, why_not: null },
      { ability: 'oci', able: true, why_not: null },
      { ability: 'reimage', able: true, why_not: null },
      { ability: 'fabric', able: true, why_not: null },
      { ability: 'ssh_certificates', able: true, why_not: null },
    ],
    prerequisites: {
      kvm_available: true,
      iommu_group_count: 142,
      iommu_kernel_args: ['intel_iommu=on', 'iommu=pt'],
      cloud_localds_available: true,
    },
    blockers: faults.find('leaky_bridge') ? ['Guests on the bridge can reach each other.'] : [],
  };
}

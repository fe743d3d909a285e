import { randomUUID } from 'node:crypto';
import type { TaskParams } from '@gpuaas/contract/node';

/** Params as a control plane would send them. */
const login = { username: 'u-alice', uid: 20_001, gid: 20_001 };
const expect = { gpu_model: 'NVIDIA H200', gpu_uuids: [`GPU-${randomUUID()}`], gpu_memory_mib: 143_771 };
const image = {
  slug: 'ubuntu-24.04-h200-cuda',
  digest: `sha256:${'a'.repeat(64)}`,
  driver_strategy: 'preinstalled',
} as const;

const slotOf = (slotId: string) => ({
  slot_id: slotId,
  slot_index: 0,
  gpu_uuid: `GPU-${slotId}`,
  pci_address: '0000:18:00.0',
  fabric_vf_pci_address: null,
  nvme_device: '/dev/nvme1n1',
  mac_address: '02:00:00:00:00:01',
  private_ip: '10.0.0.10',
  numa_node: 0,
});

export const provisionSlice = (of: {
  readonly allocationId: string;
  readonly slotIds: readonly string[];
  readonly deadlineAt?: string;
}): TaskParams<'slice.vm_provision'> => ({
  allocation_id: of.allocationId,
  hostname: 'slice-one',
  slots: of.slotIds.map(slotOf),
  profile: { name: 'h200_1g', vcpus: 24, memory_mib: 65_536 },
  image,
  login,
  authorized_keys: ['ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA=='],
  lease: { deadline_at: of.deadlineAt ?? null },
  expect,
});

export const releaseSlice = (of: {
  readonly allocationId: string;
  readonly slotIds: readonly string[];
}): TaskParams<'slice.vm_release'> => ({
  allocation_id: of.allocationId,
  slots: of.slotIds.map(slotOf),
  isolation_model: 'user-revoke',
  grace_seconds: 10,
});

export const provisionUser = (of: {
  readonly allocationId: string;
  readonly deadlineAt?: string;
}): TaskParams<'allocation.provision_user'> => ({
  allocation_id: of.allocationId,
  login,
  authorized_keys: [],
  lease: { deadline_at: of.deadlineAt ?? null },
  expect,
});

export const installKeys = (allocationId: string): TaskParams<'allocation.install_authorized_keys'> => ({
  allocation_id: allocationId,
  login,
  authorized_keys: ['ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA=='],
});

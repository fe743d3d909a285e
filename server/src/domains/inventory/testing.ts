import type { HostTopology } from '@gpuaas/contract/node';
import type pg from 'pg';
import { systemIds } from '../../kernel/id.ts';
import { asSystem } from '../../testing/world.ts';

export interface TestSlot {
  readonly numa?: number;
  readonly state?: string;
  readonly health?: string;
  readonly fabric?: boolean;
  readonly disk?: boolean;
}

/** A host with slots in given states, put there past all machines: a test begins in the middle. */
export async function placeNode(
  root: pg.Client,
  node: {
    readonly sku: string;
    readonly region: string;
    readonly slots: readonly TestSlot[];
    readonly state?: string;
    readonly schedulable?: boolean;
    readonly gpusTotal?: number;
  },
): Promise<string> {
  const id = systemIds.next();
  await root.query('set session_replication_role = replica');
  try {
    await root.query(
      `insert into nodes (id, name, region, sku, gpus_total, state, schedulable, created_at, updated_at)
       values ($1, $2, $3, $4, $5, $6, $7, now(), now())`,
      [id, `host-${id}`, node.region, node.sku, node.gpusTotal ?? 8, node.state ?? 'active', node.schedulable ?? true],
    );
    for (const [index, slot] of node.slots.entries()) {
      await root.query(
        `insert into slots (id, node_id, slot_index, state, gpu_uuid, gpu_model, gpu_memory_mib, pci_address,
           fabric_vf_pci_address, nvme_device, numa_node, health_state, allocation_id, created_at, updated_at)
         values ($1::uuid, $2, $3, $4, 'GPU-' || $1::uuid::text, 'NVIDIA H200', 143771, $5, $6, $7, $8, $9, $10, now(), now())`,
        [
          systemIds.next(),
          id,
          index,
          slot.state ?? 'available',
          `0000:${(16 + index).toString(16)}:00.0`,
          slot.fabric === false ? null : `0000:${(64 + index).toString(16)}:00.1`,
          slot.disk === false ? null : `/dev/nvme${index}n1`,
          slot.numa ?? 0,
          slot.health ?? 'healthy',
          // Nobody looks at whose it is.
          slot.state === 'reserved' || slot.state === 'in_use' ? systemIds.next() : null,
        ],
      );
    }
  } finally {
    await root.query('set session_replication_role = origin');
  }
  return id;
}

/** Notes that a host has every image of its kind, as it is offered. */
export const cacheImages = (root: pg.Client, nodeId: string): Promise<void> =>
  asSystem(
    root,
    `insert into node_image_cache (node_id, image_id, digest, verified_at)
     select n.id, i.id, i.digest, now() from nodes n join os_images i on n.sku = any (i.skus) where n.id = $1`,
    [nodeId],
  );

/** What a host with two sockets says about itself: half of the GPUs on each side. */
export const topologyOf = (
  gpus: number,
  over: Partial<HostTopology> & { readonly gpuModel?: string } = {},
): HostTopology => {
  const { gpuModel = 'NVIDIA H200', ...rest } = over;
  const seed = systemIds.next().slice(-12);
  const hex = (value: number) => value.toString(16).padStart(2, '0');
  return {
    hostname: 'host',
    kernel: '6.8.0',
    cpu_count: 224,
    memory_mib: 2_097_152,
    numa_nodes: [
      { id: 0, cpus: '0-111', memory_mib: 1_048_576 },
      { id: 1, cpus: '112-223', memory_mib: 1_048_576 },
    ],
    driver_version: '580.159.04',
    cuda_version: '13.0',
    slots: Array.from({ length: gpus }, (_, index) => ({
      slot_index: index,
      gpu_uuid: `GPU-${hex(index)}000000-0000-4000-8000-${seed}`,
      gpu_model: gpuModel,
      gpu_memory_mib: 143_771,
      pci_address: `0000:${hex(16 + index)}:00.0`,
      fabric_vf_pci_address: `0000:${hex(64 + index)}:00.1`,
      nvme_device: `/dev/nvme${index}n1`,
      mac_address: `02:00:00:00:00:${hex(index)}`,
      private_ip: `10.100.0.${10 + index}`,
      numa_node: index < gpus / 2 ? 0 : 1,
      blockers: [],
    })),
    prerequisites: {
      kvm_available: true,
      iommu_group_count: 120,
      iommu_kernel_args: ['intel_iommu=on', 'iommu=pt'],
      cloud_localds_available: true,
    },
    blockers: [],
    ...rest,
  };
};

/** A health probe that passed. It was asked for at a moment, or after anything that was found before. */
export async function passProbe(root: pg.Client, nodeId: string, askedAt?: Date): Promise<void> {
  const id = systemIds.next();
  await asSystem(
    root,
    `insert into node_tasks (id, node_id, task_type, generation, envelope, correlation_id, issued_at, expires_at,
       created_at)
     values ($1, $2, 'diag.health_probe', 1, '{}', 'probe', now(), now() + interval '1 hour',
       coalesce($3, now() + interval '1 minute'))`,
    [id, nodeId, askedAt ?? null],
  );
  for (const state of ['dispatched', 'succeeded']) {
    await asSystem(
      root,
      `update node_tasks set state = $2, version = version + 1, dispatched_at = now(),
         finished_at = now() + interval '2 minutes', result = '{"output": {"healthy": true}}' where id = $1`,
      [id, state],
    );
  }
}

/** As if the host had just been discovered. */
export const discover = (root: pg.Client, nodeId: string, topology: HostTopology): Promise<void> =>
  asSystem(root, 'update nodes set topology = $2, topology_at = now(), version = version + 1 where id = $1', [
    nodeId,
    topology,
  ]);

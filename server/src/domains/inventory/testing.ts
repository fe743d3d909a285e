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

import type { SlotCandidate } from '@gpuaas/contract/node';
import { sql, type WriteTx } from '../../kernel/act.ts';

const insertSql = sql(
  'node-slots-insert',
  `insert into slots (id, node_id, slot_index, gpu_uuid, gpu_model, gpu_memory_mib, pci_address, fabric_vf_pci_address,
     nvme_device, mac_address, private_ip, numa_node)
   select c.id, $1, c.slot_index, c.gpu_uuid, c.gpu_model, c.gpu_memory_mib, c.pci_address, c.fabric_vf_pci_address,
     c.nvme_device, c.mac_address, c.private_ip, c.numa_node
   from jsonb_to_recordset($2::jsonb) as c (id uuid, slot_index int, gpu_uuid text, gpu_model text, gpu_memory_mib int,
     pci_address text, fabric_vf_pci_address text, nvme_device text, mac_address text, private_ip text, numa_node int)`,
);
/** Two GPUs that changed places would meet on the way, so that both leave first. */
const leaveSql = sql(
  'node-slots-leave',
  `update slots set gpu_uuid = 'GPU-' || id::text, version = version + 1 where id = any ($1::uuid[])`,
);
const changeSql = sql(
  'node-slots-change',
  `update slots s set gpu_uuid = c.gpu_uuid, gpu_model = c.gpu_model, gpu_memory_mib = c.gpu_memory_mib,
     pci_address = c.pci_address, fabric_vf_pci_address = c.fabric_vf_pci_address, nvme_device = c.nvme_device,
     mac_address = c.mac_address, private_ip = c.private_ip, numa_node = c.numa_node, health_state = 'healthy',
     health_detail = null, version = s.version + 1, updated_at = act_time()
   from jsonb_to_recordset($1::jsonb) as c (id uuid, gpu_uuid text, gpu_model text, gpu_memory_mib int,
     pci_address text, fabric_vf_pci_address text, nvme_device text, mac_address text, private_ip text, numa_node int)
   where s.id = c.id`,
);
const lockSql = sql('node-slots-lock', 'select id from slots where node_id = $1 order by id for update');

type Placed = SlotCandidate & { readonly id: string };

export const insertSlots = (tx: WriteTx, nodeId: string, slots: readonly Placed[]) =>
  tx.run(insertSql, [nodeId, JSON.stringify(slots)]);
export async function changeSlots(tx: WriteTx, slots: readonly Placed[]): Promise<void> {
  await tx.run(leaveSql, [slots.map(({ id }) => id)]);
  await tx.run(changeSql, [JSON.stringify(slots)]);
}
/** In the order that everybody locks slots in. */
export const lockSlotsOf = (tx: WriteTx, nodeId: string) => tx.rows(lockSql, [nodeId]);

import type { Availability } from '@gpuaas/contract';
import { type ReadTx, sql } from '../../kernel/act.ts';

/**
 * What would fit now, for every kind, region and size at once. `ready` are the nodes that new work may go to; a slice
 * also needs an image that the node has. `holes` are free slots that belong together: one node, one NUMA group, each
 * with its fabric function and its disk. A hole of five takes two allocations of two, so holes are divided before they
 * are added up. Sizes of which nothing is free are in the answer too, wherever a kind has nodes at all.
 */
const availabilitySql = sql(
  'catalog-availability',
  `with homes as (
     select n.id, n.sku, n.region, n.gpus_total, n.state = 'active' and n.schedulable as open,
       k.capacity_shape, k.allowed_gpu_counts, k.resource_profile ->> 'fabric' as fabric
     from nodes n join skus k on k.slug = n.sku and k.active join regions r on r.slug = n.region and r.active
     where n.state <> 'deleted'
   ), ready as (
     select h.* from homes h
     where h.open and (h.capacity_shape = 'baremetal' or exists (
       select from node_image_cache c join os_images i on i.id = c.image_id and i.digest = c.digest
       where c.node_id = h.id and i.active and h.sku = any (i.skus)
     ))
   ), holes as (
     select r.sku, r.region, r.id, count(*)::int as free
     from ready r join slots s on s.node_id = r.id
     where r.capacity_shape = 'gpu_slice' and s.state = 'available' and s.health_state = 'healthy'
       and s.nvme_device is not null and (r.fabric = 'none' or s.fabric_vf_pci_address is not null)
     group by r.sku, r.region, r.id, s.numa_node
   ), whole as (
     select r.sku, r.region, r.id from ready r
     where r.capacity_shape = 'baremetal' and r.gpus_total = (
       select count(*) from slots s
       where s.node_id = r.id and s.state = 'available' and s.health_state = 'healthy'
     ) and not exists (select from slots s where s.node_id = r.id and s.state in ('reserved', 'in_use', 'cleaning'))
   ), sizes as (
     select distinct h.sku, h.region, h.capacity_shape, size.gpus
     from homes h cross join lateral unnest(h.allowed_gpu_counts) as size (gpus)
   )
   select z.sku, z.region, z.gpus as gpu_count,
     case z.capacity_shape
       when 'gpu_slice' then coalesce((
         select sum(o.free / z.gpus) from holes o where o.sku = z.sku and o.region = z.region
       ), 0)
       else (select count(*) from whole w where w.sku = z.sku and w.region = z.region)
     end::int as available
   from sizes z order by z.sku, z.region, z.gpus`,
);

export interface AvailabilityRow extends Availability {
  readonly sku: string;
}
export const readAvailability = (tx: ReadTx): Promise<AvailabilityRow[]> => tx.rows<AvailabilityRow>(availabilitySql);

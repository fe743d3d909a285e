import type { Availability } from '@gpuaas/contract';
import { type ReadTx, sql } from '../../kernel/act.ts';

/**
 * What would fit now, for every kind, region and size at once. `known` is everything there is to know about each node, from
 * three tables one below the other: what it is sold as, which kinds its images serve, and its free slots that belong
 * together, by NUMA group: all of them, those with a disk, those with a fabric function besides. `hosts` gathers the
 * rows of a node. Grouping instead of joining keeps the cost at one pass over each table, whatever the planner knows
 * about them. A group of five takes two allocations of two, so groups are divided before they are added up.
 */
const availabilitySql = sql(
  'catalog-availability',
  `with known (node_id, sku, region, open, image_sku, every, stored, wired) as (
     select n.id, n.sku, n.region, n.state = 'active' and host_offered(n.schedulable, n.simulated), null, null::int, null::int, null::int
     from nodes n join regions r on r.slug = n.region and r.active where n.state <> 'deleted'
     union all
     select c.node_id, null, null, null, k.sku, null, null, null
     from node_image_cache c join os_images i on i.id = c.image_id and i.digest = c.digest and i.active
       cross join lateral unnest(i.skus) as k (sku)
     union all
     select s.node_id, null, null, null, null, count(*), count(s.nvme_device),
       count(*) filter (where s.nvme_device is not null and s.fabric_vf_pci_address is not null)
     from slots s where s.state = 'available' and s.health_state = 'healthy' group by s.node_id, s.numa_node
   ), hosts as (
     select max(sku) as sku, max(region) as region, bool_or(open) as open, sum(every) as every,
       array_agg(image_sku) filter (where image_sku is not null) as image_skus,
       array_agg(stored) filter (where every is not null) as stored,
       array_agg(wired) filter (where every is not null) as wired
     from known group by node_id having max(sku) is not null
   )
   select h.sku, h.region, size.gpus as gpu_count,
     coalesce(sum(case
       when not h.open then 0
       when k.capacity_shape = 'baremetal' then (h.every = size.gpus)::int
       when h.sku = any (h.image_skus) then (
         select sum(together.slots / size.gpus)
         from unnest(case k.resource_profile ->> 'fabric' when 'none' then h.stored else h.wired end) as together (slots)
       )
     end), 0)::int as available
   from hosts h join skus k on k.slug = h.sku and k.active cross join lateral unnest(k.allowed_gpu_counts) as size (gpus)
   group by h.sku, h.region, size.gpus order by h.sku, h.region, size.gpus`,
);

export interface AvailabilityRow extends Availability {
  readonly sku: string;
}
export const readAvailability = (tx: ReadTx): Promise<AvailabilityRow[]> => tx.rows<AvailabilityRow>(availabilitySql);

-- Whether what is free on a host is kept from a newcomer, as the plan of the queue has it (isKept in queue/plan.ts): a test
-- compares the two on random fleets. A slice needs a disk for each GPU, and a fabric function where its SKU has a fabric;
-- eight GPUs span a host only where they are all of it; a host on which a launch failed is not kept for its next attempt; and
-- what a waiting request takes to start counts before its end. The one with three arguments stays for the release before.
create function capacity_kept(host uuid, ends_at timestamptz, image_required boolean, provision_seconds integer)
returns boolean
language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  reserver uuid;
  starts_at timestamptz;
  host_sku text;
  host_region text;
  wired boolean;
  widest integer;
  usable integer;
  free integer;
  total integer;
begin
  select r.allocation_id, r.expected_start_at into reserver, starts_at
    from queue_reservations r join allocations a on a.id = r.allocation_id
    where r.node_id = host and a.placement_status = 'queued' and a.state = 'requested';
  if reserver is not null and (ends_at is null or starts_at is null or ends_at > starts_at) then
    return true;
  end if;
  select n.sku, n.region into host_sku, host_region from nodes n where n.id = host;
  if not exists (
    select from allocations a where a.placement_status = 'queued' and a.state = 'requested'
      and a.sku = host_sku and a.region = host_region
  ) then
    return false;
  end if;
  select coalesce(k.resource_profile ->> 'fabric', 'none') <> 'none' into wired from skus k where k.slug = host_sku;
  select coalesce(max(g.usable), 0), coalesce(sum(g.usable), 0), coalesce(sum(g.free), 0), coalesce(sum(g.total), 0)
    into widest, usable, free, total
    from (
      select count(*) as total, count(*) filter (where s.state = 'available' and s.health_state = 'healthy') as free,
        count(*) filter (where s.state = 'available' and s.health_state = 'healthy' and s.nvme_device is not null
          and (not wired or s.fabric_vf_pci_address is not null)) as usable
      from slots s where s.node_id = host group by s.numa_node
    ) g;
  return exists (
    select from allocations a
    where a.placement_status = 'queued' and a.state = 'requested' and a.sku = host_sku and a.region = host_region
      and case when a.capacity_shape = 'baremetal' then free = total and total > 0 and a.gpu_count <= total
        when a.gpu_count >= 8 and a.gpu_count = total then usable = total
        else a.gpu_count <= widest end
      and (not image_required or a.capacity_shape = 'baremetal' or a.image_id is null or exists (
        select from node_image_cache c where c.node_id = host and c.image_id = a.image_id))
      and not exists (select from allocation_attempts t where t.allocation_id = a.id and t.node_id = host)
      and (reserver is null or a.id = reserver
        or act_time() + make_interval(secs => provision_seconds + a.max_duration_seconds) <= starts_at)
  );
end
$$;
revoke execute on function capacity_kept(uuid, timestamptz, boolean, integer) from public;
grant execute on function capacity_kept(uuid, timestamptz, boolean, integer) to gpuaas_api, gpuaas_worker;

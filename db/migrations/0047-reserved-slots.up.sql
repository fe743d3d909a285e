-- A reservation of the queue holds the slots that its request needs, not the whole host: everybody may use the others. An
-- empty list is of the release before and means all slots of the host.
alter table queue_reservations add column slot_ids uuid[] not null default '{}';

-- The slots of a host that are reserved from a newcomer, who ends at a time or nobody knows when. It looks at requests of all
-- tenants and tells nothing of them.
create function reserved_slots(host uuid, ends_at timestamptz) returns uuid[]
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select coalesce((
    select case when cardinality(r.slot_ids) > 0 then r.slot_ids
      else array(select s.id from slots s where s.node_id = host) end
    from queue_reservations r join allocations a on a.id = r.allocation_id
    where r.node_id = host and a.placement_status = 'queued' and a.state = 'requested'
      and (ends_at is null or r.expected_start_at is null or ends_at > r.expected_start_at)
  ), '{}')
$$;
revoke execute on function reserved_slots(uuid, timestamptz) from public;
grant execute on function reserved_slots(uuid, timestamptz) to gpuaas_api, gpuaas_worker;

-- Whether these free slots of a host are kept from a newcomer, as the plan of the queue has it (isKept in queue/plan.ts): a
-- test compares the two on random fleets. Some of them are reserved; or a request that waits would fit on the host now, on
-- slots that are not reserved from it. The one with four arguments stays for the release before, which asks about hosts.
create function capacity_kept(
  host uuid, ends_at timestamptz, image_required boolean, provision_seconds integer, slot_ids uuid[]
) returns boolean
language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  reserver uuid;
  starts_at timestamptz;
  reserved uuid[];
  host_sku text;
  host_region text;
  wired boolean;
  -- Of the whole host, and of what is not reserved there.
  widest integer;
  usable integer;
  free integer;
  widest_rest integer;
  usable_rest integer;
  free_rest integer;
  total integer;
begin
  if slot_ids && reserved_slots(host, ends_at) then
    return true;
  end if;
  select n.sku, n.region into host_sku, host_region from nodes n where n.id = host;
  if not exists (
    select from allocations a where a.placement_status = 'queued' and a.state = 'requested'
      and a.sku = host_sku and a.region = host_region
  ) then
    return false;
  end if;
  select r.allocation_id, r.expected_start_at into reserver, starts_at
    from queue_reservations r join allocations a on a.id = r.allocation_id
    where r.node_id = host and a.placement_status = 'queued' and a.state = 'requested';
  reserved := reserved_slots(host, null);
  select coalesce(k.resource_profile ->> 'fabric', 'none') <> 'none' into wired from skus k where k.slug = host_sku;
  select coalesce(max(g.usable), 0), coalesce(sum(g.usable), 0), coalesce(sum(g.free), 0),
      coalesce(max(g.usable_rest), 0), coalesce(sum(g.usable_rest), 0), coalesce(sum(g.free_rest), 0), coalesce(sum(g.total), 0)
    into widest, usable, free, widest_rest, usable_rest, free_rest, total
    from (
      select count(*) as total, count(*) filter (where t.is_free) as free,
        count(*) filter (where t.is_free and t.is_usable) as usable,
        count(*) filter (where t.is_free and not t.is_reserved) as free_rest,
        count(*) filter (where t.is_free and t.is_usable and not t.is_reserved) as usable_rest
      from (
        select s.numa_node, s.state = 'available' and s.health_state = 'healthy' as is_free,
          s.nvme_device is not null and (not wired or s.fabric_vf_pci_address is not null) as is_usable,
          s.id = any (reserved) as is_reserved
        from slots s where s.node_id = host
      ) t group by t.numa_node
    ) g;
  return exists (
    select from (
      select a.*, reserver is null or a.id = reserver or coalesce(
        act_time() + make_interval(secs => provision_seconds + a.max_duration_seconds) <= starts_at, false) as sees_all
      from allocations a
      where a.placement_status = 'queued' and a.state = 'requested' and a.sku = host_sku and a.region = host_region
    ) w
    where case
        when w.capacity_shape = 'baremetal' then
          case when w.sees_all then free else free_rest end = total and total > 0 and w.gpu_count <= total
        when w.gpu_count >= 8 and w.gpu_count = total then case when w.sees_all then usable else usable_rest end = total
        else w.gpu_count <= case when w.sees_all then widest else widest_rest end end
      and (not image_required or w.capacity_shape = 'baremetal' or w.image_id is null or exists (
        select from node_image_cache c where c.node_id = host and c.image_id = w.image_id))
      and not exists (select from allocation_attempts t where t.allocation_id = w.id and t.node_id = host)
  );
end
$$;
revoke execute on function capacity_kept(uuid, timestamptz, boolean, integer, uuid[]) from public;
grant execute on function capacity_kept(uuid, timestamptz, boolean, integer, uuid[]) to gpuaas_api, gpuaas_worker;

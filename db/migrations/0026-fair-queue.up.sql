-- The host that the oldest request of a line waits for. A line is what is sold of one SKU in one region. It has one
-- reservation at a time, and so has a host. It names no tenant: who asks for capacity sees that a host is kept, not for whom.
create table queue_reservations (
  allocation_id uuid primary key references allocations (id),
  node_id uuid not null references nodes (id),
  sku text not null,
  region text not null,
  expected_start_at timestamptz,
  reserved_at timestamptz not null default act_time(),
  constraint queue_reservations_host unique (node_id),
  constraint queue_reservations_line unique (sku, region)
);
create trigger guard_act before insert or update or delete or truncate on queue_reservations
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on queue_reservations
  deferrable initially deferred for each row execute function guard_audit();
grant select on queue_reservations to gpuaas_api;
grant select, insert, update, delete on queue_reservations to gpuaas_worker;

-- Whether what is free on a host is kept from a newcomer: because an older request has reserved the host and the newcomer
-- does not end before that is expected to start, or because a request that waits would fit there now. It looks at requests
-- of all tenants and tells nothing of them but that there are some. Where nobody waits it costs two looks into small
-- indexes.
create function capacity_kept(host uuid, ends_at timestamptz, image_required boolean) returns boolean
language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  reserver uuid;
  starts_at timestamptz;
  host_sku text;
  host_region text;
  widest integer;
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
  select coalesce(max(g.free), 0), coalesce(sum(g.free), 0), coalesce(sum(g.total), 0) into widest, free, total
    from (
      select count(*) filter (where s.state = 'available' and s.health_state = 'healthy') as free, count(*) as total
      from slots s where s.node_id = host group by s.numa_node
    ) g;
  return exists (
    select from allocations a
    where a.placement_status = 'queued' and a.state = 'requested' and a.sku = host_sku and a.region = host_region
      and case when a.capacity_shape = 'baremetal' or a.gpu_count >= 8 then free = total and a.gpu_count <= total
        else a.gpu_count <= widest end
      and (not image_required or a.image_id is null or exists (
        select from node_image_cache c where c.node_id = host and c.image_id = a.image_id))
      and (reserver is null or a.id = reserver
        or act_time() + make_interval(secs => a.max_duration_seconds) <= starts_at)
  );
end
$$;
revoke execute on function capacity_kept(uuid, timestamptz, boolean) from public;
grant execute on function capacity_kept(uuid, timestamptz, boolean) to gpuaas_api, gpuaas_worker;

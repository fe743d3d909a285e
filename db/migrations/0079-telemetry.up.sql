-- Measurements of hosts and of the machines of slices, at two resolutions. They are written for a node at a time and without an
-- act, like reports: losing one loses nothing. A row of a tenant carries the allocation, so that nobody else sees it.

create table telemetry_points (
  node_id uuid not null references nodes,
  source text not null check (source in ('host', 'guest')),
  resolution_seconds integer not null check (resolution_seconds in (10, 300)),
  at timestamptz not null,
  -- The whole node's tenant at that time, or the slice whose machine was measured.
  allocation_id uuid,
  organization_id uuid references organizations,
  gpus text[] not null check (cardinality(gpus) <= 64),
  host_values jsonb not null,
  gpu_values jsonb not null,
  unavailable text check (length(unavailable) <= 200),
  -- A coarse point is made anew when samples of its time have come since; before the first time it has no samples.
  samples integer not null check (samples >= 0),
  stale boolean not null default false,
  constraint telemetry_points_key unique nulls not distinct (node_id, source, resolution_seconds, at, allocation_id),
  constraint telemetry_points_owner foreign key (allocation_id, organization_id) references allocations (id, organization_id),
  constraint telemetry_points_whole check ((allocation_id is null) = (organization_id is null)),
  constraint telemetry_points_guest check (source = 'host' or allocation_id is not null),
  constraint telemetry_points_stale check (not stale or resolution_seconds = 300)
);
create index telemetry_points_allocation on telemetry_points (allocation_id, organization_id, resolution_seconds, at);
create index telemetry_points_organization on telemetry_points (organization_id, at);
create index telemetry_points_age on telemetry_points (resolution_seconds, at);
create index telemetry_points_stale on telemetry_points (at) where stale;

-- Stores the samples of one node. A sample of the host belongs to the allocation that had the whole node then; one of a guest is
-- taken only for a slice that this node held then. What comes twice is written once. Answers how many were stored.
create function telemetry_record(p_node uuid, p_oldest timestamptz, p_newest timestamptz, p_samples jsonb)
  returns integer language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  stored integer;
begin
  with said as (
    select s.at as taken_at, date_bin('10 seconds', s.at, 'epoch') as at, s.source, s.allocation_id, s.gpus, s.host, s.gpu, s.unavailable
    from jsonb_to_recordset(p_samples) as s (at timestamptz, source text, allocation_id uuid, gpus text[], host jsonb, gpu jsonb,
      unavailable text)
    where s.at between p_oldest and p_newest
      and exists (select from nodes n where n.id = p_node and n.state <> 'deleted')
  ), owned as (
    select distinct on (s.source, s.at, a.id) s.*, a.id as owner, a.organization_id
    from said s left join lateral (
      select l.id, l.organization_id from allocations l
      where l.node_id = p_node and l.active_at <= s.taken_at
        and (coalesce(l.releasing_at, l.ended_at) is null or s.taken_at < coalesce(l.releasing_at, l.ended_at))
        and case s.source when 'host' then l.capacity_shape = 'baremetal'
          else l.capacity_shape = 'gpu_slice' and l.id = s.allocation_id end
      order by l.active_at desc limit 1
    ) a on true
    where s.source = 'host' or a.id is not null
    order by s.source, s.at, a.id, s.taken_at desc
  ), fine as (
    insert into telemetry_points (node_id, source, resolution_seconds, at, allocation_id, organization_id, gpus, host_values,
      gpu_values, unavailable, samples)
    select p_node, o.source, 10, o.at, o.owner, o.organization_id, o.gpus, o.host, o.gpu, o.unavailable, 1 from owned o
    on conflict on constraint telemetry_points_key do update set gpus = excluded.gpus, host_values = excluded.host_values,
      gpu_values = excluded.gpu_values, unavailable = excluded.unavailable
    returning 1
  ), coarse as (
    insert into telemetry_points (node_id, source, resolution_seconds, at, allocation_id, organization_id, gpus, host_values,
      gpu_values, samples, stale)
    select distinct p_node, o.source, 300, date_bin('300 seconds', o.at, 'epoch'), o.owner, o.organization_id, '{}'::text[],
      '{}'::jsonb, '{}'::jsonb, 0, true from owned o
    on conflict on constraint telemetry_points_key do update set stale = true where not telemetry_points.stale
  )
  select count(*) into stored from fine;
  return stored;
end
$$;

-- Makes coarse points anew whose time is over: means of gauges, the last of counters, every reason for throttling.
create function telemetry_roll(p_until timestamptz, p_limit integer) returns integer
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  rolled integer;
begin
  with due as (
    select c.node_id, c.source, c.at, c.allocation_id, c.ctid as place from telemetry_points c
    where c.stale and c.at <= p_until - interval '300 seconds' order by c.at limit p_limit for update skip locked
  ), fine as (
    select d.place, f.at, f.gpus, f.host_values, f.gpu_values, f.unavailable,
      first_value(f.gpus) over (partition by d.place order by f.at desc) as last_gpus
    from due d join telemetry_points f on f.node_id = d.node_id and f.source = d.source and f.resolution_seconds = 10
      and f.at >= d.at and f.at < d.at + interval '300 seconds' and f.allocation_id is not distinct from d.allocation_id
  ), host as (
    select v.place, jsonb_object_agg(v.name, v.value) as host_values from (
      select f.place, e.key as name, round(avg(e.value::numeric), 2) as value
      from fine f, jsonb_each_text(f.host_values) e group by f.place, e.key
    ) v group by v.place
  ), gpu as (
    select g.place, jsonb_object_agg(g.name, g.list) as gpu_values from (
      select v.place, v.name, jsonb_agg(v.value order by v.index) as list from (
        select f.place, e.key as name, x.index,
          case when e.key like '%\_total' or e.key = 'xid' then max(x.value::numeric)
            when e.key = 'throttle' then bit_or(x.value::numeric::bigint)
            else round(avg(x.value::numeric), 2) end as value
        from fine f, jsonb_each(f.gpu_values) e, jsonb_array_elements_text(e.value) with ordinality x (value, index)
        where f.gpus = f.last_gpus group by f.place, e.key, x.index
      ) v group by v.place, v.name
    ) g group by g.place
  ), whole as (
    select f.place, count(*)::integer as samples, (array_agg(f.unavailable order by f.at desc))[1] as unavailable
    from fine f group by f.place
  ), lists as (select distinct f.place, f.last_gpus from fine f
  )
  update telemetry_points c set stale = false, samples = coalesce(w.samples, c.samples), gpus = coalesce(l.last_gpus, c.gpus),
    host_values = coalesce(h.host_values, c.host_values), gpu_values = coalesce(g.gpu_values, c.gpu_values),
    unavailable = w.unavailable
  from due d left join whole w on w.place = d.place left join lists l on l.place = d.place
    left join host h on h.place = d.place left join gpu g on g.place = d.place
  where c.ctid = d.place;
  get diagnostics rolled = row_count;
  return rolled;
end
$$;

-- Removes what is older than its time, a bounded number at a time.
create function telemetry_prune(p_fine timestamptz, p_coarse timestamptz, p_limit integer) returns integer
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  gone integer;
begin
  delete from telemetry_points t where t.ctid = any (array(
    (select o.ctid from telemetry_points o where o.resolution_seconds = 10 and o.at < p_fine order by o.at limit p_limit)
    union all
    (select o.ctid from telemetry_points o where o.resolution_seconds = 300 and o.at < p_coarse order by o.at limit p_limit)));
  get diagnostics gone = row_count;
  return gone;
end
$$;

alter table telemetry_points enable row level security;
create policy reach on telemetry_points using (within_wall(organization_id));
grant select on telemetry_points to gpuaas_api, gpuaas_worker;
grant execute on function telemetry_record(uuid, timestamptz, timestamptz, jsonb) to gpuaas_api;
grant execute on function telemetry_roll(timestamptz, integer) to gpuaas_worker;
grant execute on function telemetry_prune(timestamptz, timestamptz, integer) to gpuaas_worker;

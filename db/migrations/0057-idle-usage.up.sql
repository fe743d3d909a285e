-- How long the GPUs of an allocation were reported as idle, by day (UTC), so that idle cost can be shown. Nothing is charged by it.
create table usage_idle_days (
  resource_id uuid not null,
  day date not null,
  organization_id uuid not null references billing_accounts,
  -- How long hosts reported how busy the GPUs were, and for how much of it all of them were idle.
  observed_ms bigint not null default 0 check (observed_ms >= 0),
  idle_ms bigint not null default 0,
  sampled_at timestamptz not null,
  primary key (resource_id, day),
  check (idle_ms between 0 and observed_ms)
);
create index usage_idle_days_organization on usage_idle_days (organization_id, day);
-- Revenue of all organizations by day.
create index usage_days_day on usage_days (day, sku);

-- Adds the time since the last look to every active allocation whose host has reported lately. Times without a look are left out.
create function usage_idle_sample(p_percent integer, p_most_ms bigint, p_stale_ms bigint) returns integer
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  sampled integer;
begin
  insert into usage_idle_days as d (resource_id, day, organization_id, sampled_at)
    select a.id, (act_time() at time zone 'UTC')::date, a.organization_id, act_time()
    from allocations a join node_reports r on r.node_id = a.node_id
    where a.state = 'active' and r.reported_at > act_time() - p_stale_ms * interval '1 millisecond'
      and exists (select from slots s where s.allocation_id = a.id and s.generation = a.generation
        and r.gpu_utilization[s.slot_index + 1] is not null)
    order by a.id
  on conflict (resource_id, day) do update set sampled_at = excluded.sampled_at,
    observed_ms = d.observed_ms + least(p_most_ms,
      greatest(0, (extract(epoch from excluded.sampled_at - d.sampled_at) * 1000)::bigint)),
    idle_ms = d.idle_ms + case when (
        select max(r.gpu_utilization[s.slot_index + 1]) from allocations a join node_reports r on r.node_id = a.node_id
          join slots s on s.allocation_id = a.id and s.generation = a.generation
        where a.id = d.resource_id) <= p_percent
      then least(p_most_ms, greatest(0, (extract(epoch from excluded.sampled_at - d.sampled_at) * 1000)::bigint)) else 0 end;
  get diagnostics sampled = row_count;
  return sampled;
end
$$;

create trigger guard_act before insert or update or delete or truncate on usage_idle_days
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on usage_idle_days
  deferrable initially deferred for each row execute function guard_audit();
alter table usage_idle_days enable row level security;
create policy reach on usage_idle_days using (within_wall(organization_id));
grant select on usage_idle_days to gpuaas_api, gpuaas_billing;
grant execute on function usage_idle_sample(integer, bigint, bigint) to gpuaas_billing;

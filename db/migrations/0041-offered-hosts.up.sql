-- Whether a host takes new work: an operator has opened it, and a simulated one only while the policy allows such hosts. The
-- policy is read where capacity is taken, so turning it off closes all of them at once; what runs there goes on.
create function simulated_hosts_allowed() returns boolean
  language sql stable security definer set search_path = pg_catalog, public, pg_temp
  return coalesce((
    select v.value = 'true'::jsonb from policy_values v
    where v.key = 'node.simulated_allowed' and v.level = 'global' and v.subject_id = ''), false);
revoke execute on function simulated_hosts_allowed() from public;
grant execute on function simulated_hosts_allowed() to gpuaas_api, gpuaas_worker;
create function host_offered(schedulable boolean, simulated boolean) returns boolean language sql stable
  return case when simulated is true then schedulable and simulated_hosts_allowed() else schedulable end;
grant execute on function host_offered(boolean, boolean) to gpuaas_api, gpuaas_worker;

create or replace function slots_reserve(wanted uuid[], holder uuid, patient boolean)
returns table (id uuid, node_id uuid, slot_index integer, generation bigint)
language plpgsql as $$
#variable_conflict use_column
declare
  found_free integer;
begin
  if patient then
    perform 1 from slots s join nodes n on n.id = s.node_id
      where s.id = any (wanted) and s.state = 'available' and s.health_state = 'healthy'
        and n.state = 'active' and host_offered(n.schedulable, n.simulated)
      order by s.id for update of s;
  else
    perform 1 from slots s join nodes n on n.id = s.node_id
      where s.id = any (wanted) and s.state = 'available' and s.health_state = 'healthy'
        and n.state = 'active' and host_offered(n.schedulable, n.simulated)
      order by s.id for update of s skip locked;
  end if;
  get diagnostics found_free = row_count;
  if found_free <> cardinality(wanted) then
    raise exception 'a slot is gone' using errcode = 'GP010';
  end if;
  return query
    update slots s set state = 'reserved', version = s.version + 1, allocation_id = holder, updated_at = act_time(),
      generation = greatest((select max(t.generation) from slots t where t.id = any (wanted)),
        coalesce((select a.generation from allocations a where a.id = holder), 0)) + 1
    where s.id = any (wanted)
    returning s.id, s.node_id, s.slot_index, s.generation;
exception when sqlstate 'GP010' then
  return;
end
$$;

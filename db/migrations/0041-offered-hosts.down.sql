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
        and n.state = 'active' and n.schedulable
      order by s.id for update of s;
  else
    perform 1 from slots s join nodes n on n.id = s.node_id
      where s.id = any (wanted) and s.state = 'available' and s.health_state = 'healthy'
        and n.state = 'active' and n.schedulable
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
drop function host_offered(boolean, boolean);
drop function simulated_hosts_allowed();

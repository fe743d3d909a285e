-- Whoever asks for capacity names keys of their own for it, while acting inside an organization.
create policy own on ssh_keys for select using (user_id::text = nullif(current_setting('gpuaas.actor', true), ''));

-- Slots are taken before the allocation that takes them is written down, with what was taken.
alter table slots alter constraint slots_allocation_id_fkey deferrable initially deferred;

-- Takes slots for an allocation, all of them or none, and leaves no lock behind when it takes none. Rows are locked in the
-- order of their ids, so that two who want overlapping sets do not wait for each other. A patient caller waits for rows
-- that somebody else is busy with; to another they count as gone. All slots get the same generation, one that none of
-- them has seen: it is that of the lease.
create function slots_reserve(wanted uuid[], holder uuid, patient boolean)
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
      generation = (select max(t.generation) + 1 from slots t where t.id = any (wanted))
    where s.id = any (wanted)
    returning s.id, s.node_id, s.slot_index, s.generation;
exception when sqlstate 'GP010' then
  return;
end
$$;
grant execute on function slots_reserve(uuid[], uuid, boolean) to gpuaas_api, gpuaas_worker;

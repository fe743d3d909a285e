create or replace function slots_reserve(wanted uuid[], holder uuid, patient boolean)
 RETURNS TABLE(id uuid, node_id uuid, slot_index integer, generation bigint)
 LANGUAGE plpgsql
AS $function$
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
$function$;

create or replace function slots_reserve(wanted uuid[], holder uuid, patient boolean, lost_after_seconds double precision, newcomer boolean, ends_at timestamp with time zone, image_required boolean, provision_seconds integer)
 RETURNS TABLE(id uuid, node_id uuid, slot_index integer, generation bigint)
 LANGUAGE plpgsql
AS $function$
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
  if exists (
    select from (select distinct s.node_id from slots s where s.id = any (wanted)) h
      left join node_reports r on r.node_id = h.node_id
    where r.reported_at is null or r.reported_at <= act_time() - make_interval(secs => lost_after_seconds)
      or (newcomer and capacity_kept(h.node_id, ends_at, image_required, provision_seconds, wanted))
  ) then
    raise exception 'the host is silent, or its slots are kept' using errcode = 'GP010';
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
$function$;
drop function node_certificate_held(uuid, text);
drop table installation_epochs;

-- An installation that was restored from a backup begins a new epoch: what nodes and the payment provider have seen since the
-- backup is not known any more, so generations and numbers go on above it.
create table installation_epochs (
  number integer primary key,
  backup_id uuid not null,
  backup_taken_at timestamptz not null,
  began_at timestamptz not null default act_time(),
  generation_floor bigint not null check (generation_floor > 0)
);
create trigger guard_act before insert or update or delete or truncate on installation_epochs
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on installation_epochs
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_append_only before update or delete on installation_epochs
  for each row execute function guard_append_only();
create trigger guard_truncate before truncate on installation_epochs
  for each statement execute function guard_append_only();
grant select, insert on installation_epochs to gpuaas_api;
grant select on installation_epochs to gpuaas_worker;

-- A certificate of that node which is good. Every one that was issued has a row, so after a restore one without a row was issued
-- since the backup; it counts for as long as the longest of them lives.
create function node_certificate_held(p_node uuid, p_serial text) returns boolean language sql stable
return exists (select from node_certificates c where c.serial = p_serial and c.node_id = p_node and c.revoked_at is null
    and c.not_after > act_time())
  or p_serial <> '' and not exists (select from node_certificates c where c.serial = p_serial)
    and exists (select from installation_epochs e where e.began_at > act_time() - interval '90 days');
revoke execute on function node_certificate_held(uuid, text) from public;
grant execute on function node_certificate_held(uuid, text) to gpuaas_api, gpuaas_worker;

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
        coalesce((select a.generation from allocations a where a.id = holder), 0),
        coalesce((select max(e.generation_floor) from installation_epochs e), 0)) + 1
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
        coalesce((select a.generation from allocations a where a.id = holder), 0),
        coalesce((select max(e.generation_floor) from installation_epochs e), 0)) + 1
    where s.id = any (wanted)
    returning s.id, s.node_id, s.slot_index, s.generation;
exception when sqlstate 'GP010' then
  return;
end
$function$;

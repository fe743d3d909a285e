-- A slot that was used and not proven clean owes a wipe. It is sold again only with the node's signed proof of the wipe, or by the
-- decision of an operator, which is kept on the slot until its next wipe is proven.

alter table slots
  add column wipe_owed_since timestamptz,
  add column wipe_waived_at timestamptz,
  add column wipe_waived_by uuid,
  add column wipe_waived_reason text,
  add constraint slots_sold_clean check (state <> 'available' or wipe_owed_since is null),
  add constraint slots_wipe_waived check (
    (wipe_waived_at is null) = (wipe_waived_by is null) and (wipe_waived_at is null) = (wipe_waived_reason is null)
  );

-- The task whose signed result proves the wipe that a slot owes: the end of its last lease, or a new image of the whole host since.
create function slot_wipe_proof(of_slot slots) returns uuid
  language sql stable set search_path = pg_catalog, public, pg_temp as $$
  select coalesce(
    (select t.id from node_tasks t
     where t.allocation_id = of_slot.allocation_id and t.node_id = of_slot.node_id and t.generation = of_slot.generation
       and t.state = 'succeeded' and (
         t.task_type = 'slice.vm_release' and t.result #>> '{output,machine_absent,passed}' = 'true'
           and t.result #>> '{output,disk_wiped,passed}' = 'true'
           and t.result #>> '{output,devices_unbound,passed}' = 'true'
         or t.task_type = 'allocation.revoke_user' and t.result #>> '{output,user_absent,passed}' = 'true'
           and t.result #>> '{output,processes_ended,passed}' = 'true')
     order by t.id desc limit 1),
    (select t.id from node_tasks t
     where t.node_id = of_slot.node_id and t.task_type = 'node.reimage_prepare' and t.state = 'succeeded'
       and t.created_at > of_slot.wipe_owed_since and t.result #>> '{output,reimaged,passed}' = 'true'
     order by t.id desc limit 1));
$$;

create function guard_wipe() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  came_from text := case when tg_op = 'UPDATE' then old.state end;
begin
  if new.state = 'cleanup_blocked' or new.state = 'quarantined' and came_from in ('reserved', 'in_use', 'cleaning') then
    new.wipe_owed_since := coalesce(new.wipe_owed_since, act_time());
  elsif new.state = 'available' and came_from = 'cleaning' then
    new.wipe_owed_since := null;
    new.wipe_waived_at := null;
    new.wipe_waived_by := null;
    new.wipe_waived_reason := null;
  elsif new.state = 'available' and new.wipe_owed_since is not null then
    if new.wipe_waived_at is not distinct from old.wipe_waived_at then
      if slot_wipe_proof(old) is null then
        raise exception 'slot % owes a wipe: there is neither a proof nor a decision', new.id using errcode = 'check_violation';
      end if;
      new.wipe_waived_at := null;
      new.wipe_waived_by := null;
      new.wipe_waived_reason := null;
    end if;
    new.wipe_owed_since := null;
  end if;
  return new;
end $$;

alter table slots disable trigger user;
update slots set wipe_owed_since = updated_at
where state = 'cleanup_blocked' or state = 'quarantined' and allocation_id is not null;
alter table slots enable trigger user;

create trigger guard_wipe before insert or update of state on slots
  for each row when (new.state in ('cleanup_blocked', 'quarantined', 'available')) execute function guard_wipe();

grant execute on function slot_wipe_proof(slots) to gpuaas_api, gpuaas_worker;

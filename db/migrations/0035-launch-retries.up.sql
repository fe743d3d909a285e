-- A launch that failed because of its host is tried on another one. Each attempt is a lease of its own, with a generation
-- that is greater than the last one: slots, claims, tasks and proofs of an earlier attempt are told apart by it, and are
-- cleaned while the next attempt is under way. How many attempts there are is fixed when the allocation is asked for.
insert into machine_edges (machine, from_state, to_state) values ('allocation', 'provisioning', 'requested');
alter table allocations
  add column attempt integer not null default 1,
  add column max_attempts integer not null default 1,
  add constraint allocations_attempts_check check (attempt between 1 and max_attempts) not valid;

create table allocation_attempts (
  allocation_id uuid not null,
  organization_id uuid not null,
  attempt integer not null check (attempt > 0),
  node_id uuid not null references nodes,
  generation bigint not null check (generation > 0),
  failure_code text not null,
  failure_reason text not null,
  failed_at timestamptz not null default act_time(),
  -- When nothing of it was left on its host; null while that is not proven.
  cleaned_at timestamptz,
  primary key (allocation_id, attempt),
  unique (allocation_id, generation),
  unique (allocation_id, node_id),
  foreign key (allocation_id, organization_id) references allocations (id, organization_id)
);
create index allocation_attempts_node on allocation_attempts (node_id);
create index allocation_attempts_allocation on allocation_attempts (allocation_id, organization_id);

create trigger guard_act before insert or update or delete or truncate on allocation_attempts
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on allocation_attempts
  deferrable initially deferred for each row execute function guard_audit();
alter table allocation_attempts enable row level security;
create policy reach on allocation_attempts using (within_wall(organization_id));
grant select on allocation_attempts to gpuaas_api;
grant update (cleaned_at) on allocation_attempts to gpuaas_api;
grant select, insert, update on allocation_attempts to gpuaas_worker;

-- As before, and greater than the generation that the allocation had: a later lease is greater, on whatever host.
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

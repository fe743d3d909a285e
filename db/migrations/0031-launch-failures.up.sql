-- The last launch that failed on a host because of the host. Placement uses such a host only when no other fits, until the
-- time that is written here. It is written in the transaction in which the allocation fails, and names no tenant.
create table node_launch_failures (
  node_id uuid primary key references nodes (id),
  failed_at timestamptz not null default act_time(),
  avoided_until timestamptz not null,
  check (avoided_until >= failed_at)
);
create trigger guard_act before insert or update or delete or truncate on node_launch_failures
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on node_launch_failures
  deferrable initially deferred for each row execute function guard_audit();
grant select on node_launch_failures to gpuaas_api;
grant select, insert, update on node_launch_failures to gpuaas_worker;

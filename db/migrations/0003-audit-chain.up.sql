-- A hash chain over the audit log of each organization (and one for the platform), sealed after the fact: writers do not
-- wait for each other, and what was sealed cannot be changed, removed or slipped in without breaking the chain.

create table audit_seals (
  organization_id uuid,
  chain text generated always as (coalesce(organization_id::text, 'platform')) stored,
  sequence bigint not null,
  audit_id uuid primary key references audit_logs,
  hash text not null check (hash ~ '^[0-9a-f]{64}$'),
  sealed_at timestamptz not null default clock_timestamp(),
  unique (chain, sequence)
);
create trigger guard_append_only before update or delete on audit_seals
  for each row execute function guard_append_only();
create trigger guard_truncate before truncate on audit_seals
  for each statement execute function guard_append_only();

alter table audit_seals enable row level security;
create policy reach on audit_seals for select using (within_wall(organization_id));
create policy sealer on audit_seals to gpuaas_relay using (true);

create table audit_seal_watermarks (
  sealer text primary key,
  transaction_from xid8 not null,
  updated_at timestamptz not null default clock_timestamp()
);

create index audit_logs_transaction on audit_logs (transaction_id, id);
create index audit_logs_actor on audit_logs (actor_id, id);
create index audit_logs_target on audit_logs (target_id, id);

grant select, insert on audit_seals to gpuaas_relay;
grant select on audit_seals to gpuaas_api;
grant select, insert, update on audit_seal_watermarks to gpuaas_relay;
grant select on audit_logs to gpuaas_relay;
create policy sealer on audit_logs for select to gpuaas_relay using (true);

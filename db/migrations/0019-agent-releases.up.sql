-- Releases of the node agent. The bundles lie in the object store, by digest; a node gets those that are not withdrawn.
create table agent_releases (
  id uuid primary key,
  version text not null check (version ~ '^[0-9A-Za-z.+-]{1,64}$'),
  digest text not null check (digest ~ '^sha256:[0-9a-f]{64}$'),
  size_bytes bigint not null check (size_bytes > 0),
  withdrawn_at timestamptz,
  created_at timestamptz not null default act_time()
);
create unique index agent_releases_digest on agent_releases (digest) where withdrawn_at is null;

create trigger guard_act before insert or update or delete or truncate on agent_releases
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on agent_releases
  deferrable initially deferred for each row execute function guard_audit();
grant select, insert, update on agent_releases to gpuaas_api;

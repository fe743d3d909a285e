-- SSH access: keys of the platform that follow each other, certificates of minutes, grants for other people, and keys whose owner
-- has proven to hold them.

-- Several keys of a kind: the next one is announced before it is used, and a retired one stays known for a while.
alter table ssh_platform_keys
  drop constraint ssh_platform_keys_kind_check,
  drop constraint ssh_platform_keys_pkey,
  add column number integer not null default 1 check (number > 0),
  add column used_from timestamptz default act_time(),
  add column retired_at timestamptz,
  add constraint ssh_platform_keys_kind check (kind in ('jump_host', 'user_authority')),
  add constraint ssh_platform_keys_life check (retired_at is null or used_from <= retired_at),
  add primary key (kind, number);
create unique index ssh_platform_keys_current on ssh_platform_keys (kind) where used_from is not null and retired_at is null;
create unique index ssh_platform_keys_next on ssh_platform_keys (kind) where used_from is null;
grant update (used_from, retired_at) on ssh_platform_keys to gpuaas_api;

-- The public keys of the authority that machines trust. They are no secret, and tasks of tenants carry them. A certificate lives for an
-- hour at most, so a retired key is trusted for that long.
create function ssh_trusted_authorities() returns jsonb
  language sql stable security definer set search_path = pg_catalog, public, pg_temp
as $$
  select coalesce(jsonb_agg(k.public_key order by k.number), '[]') from ssh_platform_keys k
  where k.kind = 'user_authority' and (k.retired_at is null or k.retired_at > act_time() - interval '1 hour')
$$;
revoke execute on function ssh_trusted_authorities() from public;
grant execute on function ssh_trusted_authorities() to gpuaas_api, gpuaas_worker;

-- One row for each certificate. Its fingerprint is that of its bytes, so a row is found by what a client shows.
create table ssh_certificates (
  id uuid primary key,
  organization_id uuid not null references organizations,
  project_id uuid not null references projects,
  allocation_id uuid not null references allocations,
  user_id uuid not null references users,
  serial bigint not null check (serial > 0),
  fingerprint text not null unique check (fingerprint ~ '^SHA256:[A-Za-z0-9+/]{43}$'),
  key_fingerprint text not null check (key_fingerprint ~ '^SHA256:[A-Za-z0-9+/]{43}$'),
  authority_number integer not null,
  created_at timestamptz not null default act_time(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  constraint ssh_certificates_short check (expires_at <= created_at + interval '1 hour')
);
create index ssh_certificates_page on ssh_certificates (organization_id, allocation_id, id);
create index ssh_certificates_allocation on ssh_certificates (allocation_id);
create index ssh_certificates_project on ssh_certificates (project_id);
create index ssh_certificates_user on ssh_certificates (user_id);
create trigger guard_act before insert or update or delete or truncate on ssh_certificates
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on ssh_certificates
  deferrable initially deferred for each row execute function guard_audit();
alter table ssh_certificates enable row level security;
create policy reach on ssh_certificates using (within_wall(organization_id));
grant select, insert, delete on ssh_certificates to gpuaas_api;
grant update (revoked_at) on ssh_certificates to gpuaas_api;
grant select on ssh_certificates to gpuaas_worker;

-- No reference: the row may go, and the guard then ends the session.
alter table terminal_sessions add column ssh_certificate_id uuid;

-- A person may work in an allocation of another one, until a time.
create table allocation_access_grants (
  id uuid primary key,
  organization_id uuid not null,
  project_id uuid not null references projects,
  allocation_id uuid not null,
  user_id uuid not null references users,
  -- Of the person; null means all keys that the person has.
  ssh_key_id uuid,
  reason text not null check (length(reason) <= 500),
  granted_by uuid not null references users,
  created_at timestamptz not null default act_time(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  revoked_by uuid references users,
  foreign key (allocation_id, organization_id) references allocations (id, organization_id)
);
create index allocation_access_grants_page on allocation_access_grants (organization_id, allocation_id, id);
create index allocation_access_grants_allocation on allocation_access_grants (allocation_id, organization_id);
create index allocation_access_grants_project on allocation_access_grants (project_id);
create index allocation_access_grants_user on allocation_access_grants (user_id);
create index allocation_access_grants_granted_by on allocation_access_grants (granted_by);
create index allocation_access_grants_revoked_by on allocation_access_grants (revoked_by);
create trigger guard_act before insert or update or delete or truncate on allocation_access_grants
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on allocation_access_grants
  deferrable initially deferred for each row execute function guard_audit();
alter table allocation_access_grants enable row level security;
create policy reach on allocation_access_grants using (within_wall(organization_id));
grant select, insert on allocation_access_grants to gpuaas_api;
grant update (expires_at, revoked_at, revoked_by) on allocation_access_grants to gpuaas_api;
grant select on allocation_access_grants to gpuaas_worker;

-- A key that is on a machine because of a grant goes with it.
alter table allocation_ssh_keys add column grant_id uuid;

-- When the owner signed with the private half.
alter table ssh_keys add column proven_at timestamptz;
grant update (proven_at) on ssh_keys to gpuaas_api;

-- What differs from the defaults of the contract, and for whom.

alter table organizations add column plan text not null default 'standard' check (plan ~ '^[a-z0-9-]{1,32}$');

create table policy_values (
  id uuid primary key,
  key text not null check (key ~ '^[a-z_]+\.[a-z_]+$'),
  level text not null check (level in ('user', 'project', 'organization', 'plan', 'global')),
  subject_id text not null,
  value jsonb not null check (jsonb_typeof(value) in ('number', 'boolean', 'string')),
  hard boolean not null default false check (not hard or level = 'global'),
  reason text not null,
  created_at timestamptz not null default act_time(),
  updated_at timestamptz not null default act_time(),
  check ((level = 'global') = (subject_id = '')),
  unique (key, level, subject_id)
);

create trigger guard_act before insert or update or delete or truncate on policy_values
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on policy_values
  deferrable initially deferred for each row execute function guard_audit();

alter table policy_values enable row level security;
create policy reach on policy_values using (current_setting('gpuaas.reach', true) = 'platform');

grant select, insert, update, delete on policy_values to gpuaas_api;
grant select on policy_values to gpuaas_worker, gpuaas_relay;
-- The relay reads the plans of organizations, and their policy looks at memberships.
grant select on organizations, tenant_memberships to gpuaas_relay;

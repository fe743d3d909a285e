-- Public keys of people and of projects. Private keys are never kept.

create table ssh_keys (
  id uuid primary key,
  user_id uuid references users,
  organization_id uuid,
  project_id uuid,
  name text not null check (length(name) between 1 and 200),
  type text not null,
  bits integer not null check (bits > 0),
  public_key text not null check (public_key ~ '^[a-z0-9@.-]+ [A-Za-z0-9+/]+={0,2}$'),
  fingerprint text not null check (fingerprint ~ '^SHA256:[A-Za-z0-9+/]{43}$'),
  comment text not null,
  created_by uuid not null references users,
  created_at timestamptz not null default act_time(),
  last_used_at timestamptz,
  foreign key (project_id, organization_id) references projects (id, organization_id),
  check ((user_id is null) = (project_id is not null)),
  check ((project_id is null) = (organization_id is null)),
  unique (user_id, fingerprint),
  unique (project_id, organization_id, fingerprint)
);
create index ssh_keys_user on ssh_keys (user_id, id);
create index ssh_keys_project on ssh_keys (project_id, id);
create index ssh_keys_created_by on ssh_keys (created_by);

create trigger guard_act before insert or update or delete or truncate on ssh_keys
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on ssh_keys
  deferrable initially deferred for each row execute function guard_audit();

alter table ssh_keys enable row level security;
create policy reach on ssh_keys using (within_wall(organization_id) or within_self(user_id));

grant select, insert, delete on ssh_keys to gpuaas_api;
grant select, update, delete on ssh_keys to gpuaas_worker;

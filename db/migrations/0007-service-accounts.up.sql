-- Identities of machines: who they are, where they may act, and the keys they prove it with.

create table service_accounts (
  id uuid primary key,
  organization_id uuid not null references organizations,
  scope text not null check (scope in ('project', 'organization')),
  -- The project of one that is pinned; its organization cannot differ from the account's.
  project_id uuid,
  name text not null check (length(name) between 1 and 200),
  slug text not null check (slug ~ '^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$'),
  description text,
  scopes text[] not null check (cardinality(scopes) > 0),
  state text not null default 'active',
  version bigint not null default 1,
  created_by text not null,
  created_at timestamptz not null default act_time(),
  updated_at timestamptz not null default act_time(),
  disabled_at timestamptz,
  deleted_at timestamptz,
  check ((scope = 'project') = (project_id is not null)),
  foreign key (project_id, organization_id) references projects (id, organization_id),
  unique (id, organization_id)
);
create index service_accounts_organization on service_accounts (organization_id, id);
create index service_accounts_project on service_accounts (project_id, organization_id, id);
create unique index service_accounts_project_slug on service_accounts (project_id, slug)
  where state <> 'deleted' and scope = 'project';
create unique index service_accounts_organization_slug on service_accounts (organization_id, slug)
  where state <> 'deleted' and scope = 'organization';

-- The projects of one that serves several: all in its organization, by the keys themselves.
create table service_account_projects (
  service_account_id uuid not null,
  project_id uuid not null,
  organization_id uuid not null,
  primary key (service_account_id, project_id),
  foreign key (service_account_id, organization_id) references service_accounts (id, organization_id),
  foreign key (project_id, organization_id) references projects (id, organization_id)
);
create index service_account_projects_account on service_account_projects (service_account_id, organization_id);
create index service_account_projects_project on service_account_projects (project_id, organization_id);

create table service_account_keys (
  id uuid primary key,
  service_account_id uuid not null,
  organization_id uuid not null,
  name text not null check (length(name) between 1 and 200),
  public_key jsonb not null check (not public_key ? 'd'),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  created_at timestamptz not null default act_time(),
  foreign key (service_account_id, organization_id) references service_accounts (id, organization_id)
);
create index service_account_keys_account on service_account_keys (service_account_id, organization_id, id);

-- An assertion counts once. What was used is remembered until it would have expired by itself.
create table assertion_uses (
  service_account_id uuid not null references service_accounts,
  assertion_id text not null,
  expires_at timestamptz not null,
  primary key (service_account_id, assertion_id)
);
create index assertion_uses_expiry on assertion_uses (expires_at);

-- What we sign their tokens with. The private halves are sealed with a key that is not in the database.
create table token_signing_keys (
  id uuid primary key,
  public_key jsonb not null check (not public_key ? 'd'),
  sealed_private_key bytea not null,
  created_at timestamptz not null default act_time()
);

create trigger guard_act before insert or update or delete or truncate on service_accounts
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on service_accounts
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_machine before insert or update on service_accounts
  for each row execute function guard_machine('service_account');

create trigger guard_act before insert or update or delete or truncate on service_account_projects
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on service_account_projects
  deferrable initially deferred for each row execute function guard_audit();

create trigger guard_act before insert or update or delete or truncate on service_account_keys
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on service_account_keys
  deferrable initially deferred for each row execute function guard_audit();

create trigger guard_act before insert or update or delete or truncate on assertion_uses
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on assertion_uses
  deferrable initially deferred for each row execute function guard_audit();

create trigger guard_act before insert or update or delete or truncate on token_signing_keys
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on token_signing_keys
  deferrable initially deferred for each row execute function guard_audit();

insert into machine_edges (machine, from_state, to_state) values
  ('service_account', '', 'active'),
  ('service_account', 'active', 'deleted'),
  ('service_account', 'active', 'disabled'),
  ('service_account', 'disabled', 'active'),
  ('service_account', 'disabled', 'deleted');

alter table service_accounts enable row level security;
create policy reach on service_accounts using (within_wall(organization_id));
alter table service_account_projects enable row level security;
create policy reach on service_account_projects using (within_wall(organization_id));
alter table service_account_keys enable row level security;
create policy reach on service_account_keys using (within_wall(organization_id));
alter table token_signing_keys enable row level security;
create policy reach on token_signing_keys using (current_setting('gpuaas.reach', true) = 'platform');

grant select, insert, update on service_accounts, service_account_keys to gpuaas_api;
grant select, insert on service_account_projects, token_signing_keys to gpuaas_api;
grant select, insert, delete on assertion_uses to gpuaas_api;

-- Departments, who belongs to what, invitations, and what is remembered about a person.

-- Departments group the projects of an organization. The default one bears the id of its organization: it is born with
-- it, whoever founds it, and nobody has to look it up.
create table departments (
  id uuid primary key,
  organization_id uuid not null references organizations,
  name text not null check (length(name) between 1 and 200),
  slug text not null check (slug ~ '^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$'),
  is_default boolean not null default false,
  state text not null default 'active',
  version bigint not null default 1,
  created_at timestamptz not null default act_time(),
  updated_at timestamptz not null default act_time(),
  check (is_default = (id = organization_id)),
  check (not is_default or state = 'active'),
  unique (id, organization_id),
  unique (organization_id, slug)
);
create unique index departments_default on departments (organization_id) where is_default;
create index departments_organization on departments (organization_id, id);

insert into departments (id, organization_id, name, slug, is_default, created_at, updated_at)
  select id, id, 'Default', 'default', true, created_at, created_at from organizations;

create function found_department() returns trigger language plpgsql as $$
begin
  insert into public.departments (id, organization_id, name, slug, is_default)
    values (new.id, new.id, 'Default', 'default', true);
  return null;
end
$$;
create trigger found_department after insert on organizations
  for each row execute function found_department();

-- A project that does not say belongs to the default department. Releases that know of no departments do not say.
alter table projects add column department_id uuid;
alter table projects disable trigger user;
update projects set department_id = organization_id;
alter table projects enable trigger user;
alter table projects alter column department_id set not null,
  add foreign key (department_id, organization_id) references departments (id, organization_id),
  add unique (id, organization_id);
create index projects_department on projects (department_id, organization_id);

create function default_department() returns trigger language plpgsql as $$
begin
  new.department_id := coalesce(new.department_id, new.organization_id);
  return new;
end
$$;
create trigger default_department before insert on projects
  for each row execute function default_department();

-- A role in one project, for somebody who belongs to its organization. The higher of the two roles counts there.
create table project_memberships (
  user_id uuid not null,
  organization_id uuid not null,
  project_id uuid not null,
  role text not null check (role in ('owner', 'admin', 'member', 'viewer')),
  created_at timestamptz not null default act_time(),
  deleted_at timestamptz,
  primary key (user_id, organization_id, project_id),
  foreign key (user_id, organization_id) references tenant_memberships (user_id, organization_id),
  foreign key (project_id, organization_id) references projects (id, organization_id)
);
create index project_memberships_project on project_memberships (project_id, organization_id, user_id);

-- Invitations. Only a hash of the token is kept.
create table invitations (
  id uuid primary key,
  organization_id uuid not null references organizations,
  email text not null check (email = lower(email) and length(email) between 3 and 254),
  role text not null check (role in ('owner', 'admin', 'member', 'viewer')),
  token_hash text not null unique check (token_hash ~ '^[0-9a-f]{64}$'),
  state text not null default 'pending',
  version bigint not null default 1,
  invited_by uuid not null references users,
  accepted_by uuid references users,
  expires_at timestamptz not null,
  created_at timestamptz not null default act_time(),
  updated_at timestamptz not null default act_time(),
  check ((state = 'accepted') = (accepted_by is not null))
);
create unique index invitations_pending on invitations (organization_id, email) where state = 'pending';
create index invitations_organization on invitations (organization_id, id);
create index invitations_invited_by on invitations (invited_by);
create index invitations_accepted_by on invitations (accepted_by);

-- Whoever holds a token stands outside the organization that it invites to. A good token opens that wall, and no other,
-- until the transaction ends; a bad one opens nothing and tells nothing.
create function invitation_open(p_hash text) returns table (invitation uuid, organization uuid, granted text)
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if act_id() is null then
    raise exception 'invitations are accepted inside an act only' using errcode = 'GP001';
  end if;
  select i.id, i.organization_id, i.role into invitation, organization, granted
    from invitations i join organizations o on o.id = i.organization_id and o.deleted_at is null
    where i.token_hash = p_hash and i.state = 'pending' and i.expires_at > act_time();
  if not found then
    return;
  end if;
  perform set_config('gpuaas.organization', organization::text, true),
    set_config('gpuaas.reach', 'organization', true);
  return next;
end
$$;

create table user_project_defaults (
  user_id uuid primary key references users,
  organization_id uuid not null,
  project_id uuid not null,
  updated_at timestamptz not null default act_time(),
  foreign key (project_id, organization_id) references projects (id, organization_id)
);
create index user_project_defaults_project on user_project_defaults (project_id, organization_id);

-- Who a person is on hosts. Given once, never changed and never given again. Names end with the number, so that they
-- are unique and none is the name of a system account.
create sequence posix_ordinals as integer;
create table user_posix_identities (
  user_id uuid primary key references users,
  uid integer not null unique check (uid between 1000 and 2000000000),
  gid integer not null unique check (gid between 1000 and 2000000000),
  username text not null unique check (username ~ '^[a-z][a-z0-9-]{0,30}$'),
  created_at timestamptz not null default act_time()
);

create function posix_username(subject text, uid integer) returns text language sql immutable
  return case
    when subject ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then 'u' || uid
    when split_part(lower(subject), '@', 1) ~ '^[a-z]' then
      btrim(left(regexp_replace(split_part(lower(subject), '@', 1), '[^a-z0-9]+', '-', 'g'), 20), '-') || '-' || uid
    else 'u' || uid
  end;

create function give_posix_identity() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  number integer := nextval('posix_ordinals') + coalesce(
    (select value::text::integer from policy_values where key = 'tenancy.posix_uid_base' and level = 'global'), 20000);
begin
  insert into user_posix_identities (user_id, uid, gid, username)
    values (new.id, number, number, posix_username(new.oidc_subject, number));
  return null;
end
$$;

insert into user_posix_identities (user_id, uid, gid, username, created_at)
  select u.id, n.uid, n.uid, posix_username(u.oidc_subject, n.uid), u.created_at
  from (select id, oidc_subject, created_at from users order by id) u,
    lateral (select (20000 + nextval('posix_ordinals'))::integer as uid where u.id is not null) n;
create trigger give_posix_identity after insert on users
  for each row execute function give_posix_identity();

-- The guards, table by table.

create trigger guard_act before insert or update or delete or truncate on departments
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on departments
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_machine before insert or update on departments
  for each row execute function guard_machine('department');

create trigger guard_act before insert or update or delete or truncate on project_memberships
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on project_memberships
  deferrable initially deferred for each row execute function guard_audit();

create trigger guard_act before insert or update or delete or truncate on invitations
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on invitations
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_machine before insert or update on invitations
  for each row execute function guard_machine('invitation');

create trigger guard_act before insert or update or delete or truncate on user_project_defaults
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on user_project_defaults
  deferrable initially deferred for each row execute function guard_audit();

create trigger guard_act before insert or update or delete or truncate on user_posix_identities
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on user_posix_identities
  deferrable initially deferred for each row execute function guard_audit();

insert into machine_edges (machine, from_state, to_state) values
  ('department', '', 'active'),
  ('department', 'active', 'disabled'),
  ('department', 'disabled', 'active'),
  ('invitation', '', 'pending'),
  ('invitation', 'pending', 'accepted'),
  ('invitation', 'pending', 'expired'),
  ('invitation', 'pending', 'revoked');

-- Row-level security.

alter table departments enable row level security;
create policy reach on departments using (within_wall(organization_id));

alter table project_memberships enable row level security;
create policy reach on project_memberships
  using (within_wall(organization_id) or within_self(user_id))
  with check (within_wall(organization_id));

alter table invitations enable row level security;
create policy reach on invitations using (within_wall(organization_id));

alter table user_project_defaults enable row level security;
create policy reach on user_project_defaults
  using (current_setting('gpuaas.reach', true) = 'platform' or within_self(user_id));

alter table user_posix_identities enable row level security;
create policy reach on user_posix_identities
  using (current_setting('gpuaas.reach', true) = 'platform' or within_self(user_id) or exists (
    select from tenant_memberships m
    where m.user_id = user_posix_identities.user_id and within_wall(m.organization_id)
  ));

-- People choose among the projects of all their organizations.
create policy self on projects for select
  using (exists (
    select from tenant_memberships m
    where m.organization_id = projects.organization_id and m.deleted_at is null and within_self(m.user_id)
  ));

grant select, insert, update on departments to gpuaas_api, gpuaas_worker;
grant select, insert, update on project_memberships, invitations, user_project_defaults to gpuaas_api;
grant select on project_memberships, user_posix_identities to gpuaas_api, gpuaas_worker;
grant execute on function invitation_open(text) to gpuaas_api;

-- Apps that tenants publish: what they are, their versions with manifest and image by digest, and who may use them.

create table apps (
  id uuid primary key,
  organization_id uuid not null references organizations,
  project_id uuid not null,
  -- The slug of the organization, which others cannot read from organizations. It never changes there.
  publisher text not null check (publisher ~ '^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$'),
  slug text not null check (slug ~ '^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$'),
  name text not null check (length(name) between 1 and 200),
  summary text not null check (length(summary) <= 300),
  visibility text not null check (visibility in ('project', 'organization', 'platform')),
  created_at timestamptz not null default act_time(),
  updated_at timestamptz not null default act_time(),
  unique (organization_id, id),
  foreign key (project_id, organization_id) references projects (id, organization_id)
);
-- The slug of an organization that is gone may come back; the app of the former one keeps its reference.
create unique index apps_reference on apps (publisher, slug);
create index apps_page on apps (organization_id, project_id, id);
create index apps_project on apps (project_id, organization_id);
create index apps_platform on apps (id) where visibility = 'platform';

-- A version never changes what it is: its update rights are on its state, its channel and the times of these.
create table app_versions (
  id uuid primary key,
  organization_id uuid not null,
  app_id uuid not null,
  number text not null check (length(number) between 5 and 120),
  manifest jsonb not null check (jsonb_typeof(manifest) = 'object'),
  manifest_digest text not null check (manifest_digest ~ '^sha256:[0-9a-f]{64}$'),
  image_repository text not null check (length(image_repository) between 3 and 330 and image_repository !~ '@'),
  image_digest text not null check (image_digest ~ '^sha256:[0-9a-f]{64}$'),
  state text not null default 'published',
  version bigint not null default 1,
  channel text not null default 'dev' check (channel in ('dev', 'test', 'staging', 'prod')),
  created_at timestamptz not null default act_time(),
  updated_at timestamptz not null default act_time(),
  deprecated_at timestamptz,
  retired_at timestamptz,
  unique (organization_id, id),
  foreign key (organization_id, app_id) references apps (organization_id, id),
  -- Everybody's versions are in prod, and only theirs.
  constraint app_versions_promoted check (
    state not in ('promoted', 'deprecated') or channel = 'prod'),
  constraint app_versions_published check (state <> 'published' or channel <> 'prod'),
  constraint app_versions_retired check ((state = 'retired') = (retired_at is not null))
);
create unique index app_versions_number on app_versions (app_id, number);
create index app_versions_page on app_versions (organization_id, app_id, id);
create index app_versions_digest on app_versions (image_digest);

-- Trust is another question than how far a version has come, so it is another row with a machine of its own.
create table app_version_trust (
  id uuid primary key,
  organization_id uuid not null,
  state text not null default 'unverified',
  version bigint not null default 1,
  -- What verification looked at, each with its result.
  evidence jsonb not null default '[]'::jsonb check (jsonb_typeof(evidence) = 'array'),
  verified_at timestamptz,
  revocation_reason text check (length(revocation_reason) between 1 and 500),
  revocation_effect text check (revocation_effect in ('stop', 'let_run')),
  updated_at timestamptz not null default act_time(),
  foreign key (organization_id, id) references app_versions (organization_id, id),
  constraint app_version_trust_revoked check (
    (state = 'revoked') = (revocation_reason is not null) and (state = 'revoked') = (revocation_effect is not null)),
  constraint app_version_trust_answered check (state not in ('verified', 'failed_verification') or verified_at is not null)
);
create index app_version_trust_version on app_version_trust (organization_id, id);
create index app_version_trust_open on app_version_trust (id) where state = 'unverified';

-- One more organization, or one project of it, that may use an app which is not for everybody.
create table app_entitlements (
  id uuid primary key,
  publisher_id uuid not null,
  app_id uuid not null,
  organization_id uuid not null references organizations,
  project_id uuid,
  created_at timestamptz not null default act_time(),
  foreign key (publisher_id, app_id) references apps (organization_id, id),
  foreign key (project_id, organization_id) references projects (id, organization_id)
);
create unique index app_entitlements_once on app_entitlements (app_id, organization_id, project_id) nulls not distinct;
create index app_entitlements_page on app_entitlements (publisher_id, app_id, id);
create index app_entitlements_organization on app_entitlements (organization_id);
create index app_entitlements_project on app_entitlements (project_id, organization_id);

insert into machine_edges (machine, from_state, to_state) values
  ('app_artifact', '', 'published'),
  ('app_artifact', 'deprecated', 'promoted'),
  ('app_artifact', 'deprecated', 'retired'),
  ('app_artifact', 'promoted', 'deprecated'),
  ('app_artifact', 'promoted', 'retired'),
  ('app_artifact', 'published', 'promoted'),
  ('app_artifact', 'published', 'retired'),
  ('app_trust', '', 'unverified'),
  ('app_trust', 'failed_verification', 'revoked'),
  ('app_trust', 'failed_verification', 'verified'),
  ('app_trust', 'unverified', 'failed_verification'),
  ('app_trust', 'unverified', 'revoked'),
  ('app_trust', 'unverified', 'verified'),
  ('app_trust', 'verified', 'failed_verification'),
  ('app_trust', 'verified', 'revoked');

-- Guards.
create trigger guard_act before insert or update or delete or truncate on apps
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on apps
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_act before insert or update or delete or truncate on app_versions
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on app_versions
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_machine before insert or update on app_versions
  for each row execute function guard_machine('app_artifact');
create trigger guard_act before insert or update or delete or truncate on app_version_trust
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on app_version_trust
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_machine before insert or update on app_version_trust
  for each row execute function guard_machine('app_trust');
create trigger guard_act before insert or update or delete or truncate on app_entitlements
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on app_entitlements
  deferrable initially deferred for each row execute function guard_audit();

-- Walls. A publisher reaches its own; others read what is shown to them and write nothing.
alter table apps enable row level security;
create policy reach on apps using (within_wall(organization_id));
alter table app_versions enable row level security;
create policy reach on app_versions using (within_wall(organization_id));
alter table app_version_trust enable row level security;
create policy reach on app_version_trust using (within_wall(organization_id));
-- The api revokes trust. Only the worker, which verifies, says that a version is verified.
create policy revokes on app_version_trust as restrictive for update to gpuaas_api using (true) with check (state = 'revoked');
alter table app_entitlements enable row level security;
create policy reach on app_entitlements using (within_wall(publisher_id));
create policy shown on app_entitlements for select using (within_wall(organization_id));
create policy shown on apps for select using (
  visibility = 'platform'
  or exists (select from app_entitlements e where e.app_id = apps.id and within_wall(e.organization_id)));
-- What is only published is its publisher's own affair.
create policy shown on app_versions for select using (
  state <> 'published' and exists (select from apps a where a.id = app_versions.app_id));
create policy shown on app_version_trust for select using (
  exists (select from app_versions v where v.id = app_version_trust.id));

-- Who may do what: the api publishes and shows; the worker verifies.
grant select, insert, update (name, summary, visibility, updated_at) on apps to gpuaas_api;
grant select, insert, update (state, version, channel, updated_at, deprecated_at, retired_at) on app_versions to gpuaas_api;
-- The api puts versions down as unverified and revokes them. It cannot write what a verification leaves behind.
grant select, insert (id, organization_id), update (state, version, revocation_reason, revocation_effect, updated_at)
  on app_version_trust to gpuaas_api;
grant select, insert, delete on app_entitlements to gpuaas_api;
grant select on apps, app_versions, app_entitlements to gpuaas_worker;
grant select, update (state, version, evidence, verified_at, updated_at) on app_version_trust to gpuaas_worker;

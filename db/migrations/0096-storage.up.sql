-- Files of tenants: what a project keeps, in namespaces, with rights for others. The bytes lie with a provider, under ids that are
-- no text of a tenant; names, folders and sizes are rows.

-- One for each project that has stored anything. Its row is the lock under which sizes change.
create table storage_buckets (
  project_id uuid primary key,
  organization_id uuid not null,
  -- Files, and those in the trash.
  stored_bytes bigint not null default 0,
  -- Uploads that are under way.
  reserved_bytes bigint not null default 0,
  created_at timestamptz not null default act_time(),
  foreign key (project_id, organization_id) references projects (id, organization_id),
  constraint storage_buckets_sizes check (stored_bytes >= 0 and reserved_bytes >= 0)
);
create index storage_buckets_project on storage_buckets (project_id, organization_id);
create index storage_buckets_organization on storage_buckets (organization_id);

create table storage_namespaces (
  id uuid primary key,
  organization_id uuid not null,
  project_id uuid not null references storage_buckets,
  kind text not null check (kind in ('shared', 'users', 'workloads', 'datasets', 'checkpoints', 'artifacts')),
  -- Empty for the two that a project has once.
  name text collate "C" not null,
  created_at timestamptz not null default act_time(),
  unique (organization_id, id),
  constraint storage_namespaces_named check ((kind in ('shared', 'artifacts')) = (name = ''))
);
create unique index storage_namespaces_path on storage_namespaces (project_id, kind, name);
create index storage_namespaces_page on storage_namespaces (organization_id, project_id, id);

-- Bytes at the provider that a file points to. Copies share them; with the last use they are due for removal.
create table storage_blobs (
  id uuid primary key,
  organization_id uuid not null,
  project_id uuid not null references storage_buckets,
  handle text not null,
  uses integer not null default 0,
  removable_at timestamptz,
  created_at timestamptz not null default act_time(),
  constraint storage_blobs_used check (uses >= 0 and (uses = 0) = (removable_at is not null))
);
create index storage_blobs_project on storage_blobs (project_id);
create index storage_blobs_organization on storage_blobs (organization_id);
create index storage_blobs_removable on storage_blobs (removable_at) where uses = 0;

create table storage_uploads (
  id uuid primary key,
  organization_id uuid not null,
  project_id uuid not null references storage_buckets,
  namespace_id uuid not null,
  folder text collate "C" not null,
  name text collate "C" not null,
  size_bytes bigint not null check (size_bytes >= 0),
  part_bytes bigint not null check (part_bytes > 0),
  content_type text not null,
  handle text not null,
  replaces boolean not null,
  created_by text not null,
  created_at timestamptz not null default act_time(),
  expires_at timestamptz not null,
  foreign key (organization_id, namespace_id) references storage_namespaces (organization_id, id)
);
create index storage_uploads_page on storage_uploads (organization_id, project_id, id);
create index storage_uploads_project on storage_uploads (project_id);
create index storage_uploads_namespace on storage_uploads (organization_id, namespace_id);
create index storage_uploads_expiry on storage_uploads (expires_at);

-- Files and folders. `folder` is empty or ends with a slash. What has a time of deletion lies in the trash.
create table storage_objects (
  id uuid primary key,
  organization_id uuid not null,
  project_id uuid not null references storage_buckets,
  namespace_id uuid not null,
  folder text collate "C" not null,
  name text collate "C" not null check (name <> '' and name !~ '/'),
  is_folder boolean not null,
  size_bytes bigint not null check (size_bytes >= 0),
  part_bytes bigint not null,
  content_type text not null,
  checksum text not null,
  blob_id uuid references storage_blobs,
  created_by text not null,
  created_at timestamptz not null default act_time(),
  updated_at timestamptz not null default act_time(),
  deleted_at timestamptz,
  deleted_by text,
  purge_at timestamptz,
  foreign key (organization_id, namespace_id) references storage_namespaces (organization_id, id),
  constraint storage_objects_bytes check (is_folder = (blob_id is null)),
  constraint storage_objects_trash check (
    (deleted_at is null) = (purge_at is null) and (deleted_at is null) = (deleted_by is null)),
  constraint storage_objects_folder check (folder = '' or folder ~ '/$')
);
-- The order of every listing: a page costs what it shows, however many there are.
create unique index storage_objects_path on storage_objects (namespace_id, folder, name) where deleted_at is null;
create index storage_objects_namespace on storage_objects (organization_id, namespace_id);
create index storage_objects_project on storage_objects (project_id);
create index storage_objects_blob on storage_objects (blob_id);
create index storage_objects_trash_page on storage_objects (organization_id, project_id, id) where deleted_at is not null;
create index storage_objects_purge on storage_objects (purge_at) where deleted_at is not null;

-- Who else may use a namespace: a person, a service account or another project of the organization.
create table storage_grants (
  id uuid primary key,
  organization_id uuid not null,
  project_id uuid not null references storage_buckets,
  namespace_id uuid not null,
  grantee_kind text not null check (grantee_kind in ('user', 'service_account', 'project')),
  grantee_id uuid not null,
  level text not null check (level in ('read', 'write', 'manage')),
  granted_by text not null,
  created_at timestamptz not null default act_time(),
  expires_at timestamptz,
  revoked_at timestamptz,
  foreign key (organization_id, namespace_id) references storage_namespaces (organization_id, id)
);
create unique index storage_grants_once on storage_grants (namespace_id, grantee_kind, grantee_id) where revoked_at is null;
create index storage_grants_namespace on storage_grants (organization_id, namespace_id);
create index storage_grants_page on storage_grants (organization_id, project_id, id);
create index storage_grants_project on storage_grants (project_id);
create index storage_grants_received on storage_grants (organization_id, grantee_id, id);

create trigger guard_act before insert or update or delete or truncate on storage_buckets
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on storage_buckets
  deferrable initially deferred for each row execute function guard_audit();
alter table storage_buckets enable row level security;
create policy reach on storage_buckets using (within_wall(organization_id));
create trigger guard_act before insert or update or delete or truncate on storage_namespaces
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on storage_namespaces
  deferrable initially deferred for each row execute function guard_audit();
alter table storage_namespaces enable row level security;
create policy reach on storage_namespaces using (within_wall(organization_id));
create trigger guard_act before insert or update or delete or truncate on storage_blobs
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on storage_blobs
  deferrable initially deferred for each row execute function guard_audit();
alter table storage_blobs enable row level security;
create policy reach on storage_blobs using (within_wall(organization_id));
create trigger guard_act before insert or update or delete or truncate on storage_uploads
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on storage_uploads
  deferrable initially deferred for each row execute function guard_audit();
alter table storage_uploads enable row level security;
create policy reach on storage_uploads using (within_wall(organization_id));
create trigger guard_act before insert or update or delete or truncate on storage_objects
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on storage_objects
  deferrable initially deferred for each row execute function guard_audit();
alter table storage_objects enable row level security;
create policy reach on storage_objects using (within_wall(organization_id));
create trigger guard_act before insert or update or delete or truncate on storage_grants
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on storage_grants
  deferrable initially deferred for each row execute function guard_audit();
alter table storage_grants enable row level security;
create policy reach on storage_grants using (within_wall(organization_id));

grant select, insert, update (stored_bytes, reserved_bytes) on storage_buckets to gpuaas_api;
-- A project with files is not removed.
grant select on storage_buckets to gpuaas_worker;
grant select, insert on storage_namespaces to gpuaas_api;
grant select, insert, update (uses, removable_at), delete on storage_blobs to gpuaas_api;
grant select, insert, delete on storage_uploads to gpuaas_api;
grant select, insert, update (folder, name, updated_at, deleted_at, deleted_by, purge_at), delete on storage_objects to gpuaas_api;
grant select, insert, update (revoked_at) on storage_grants to gpuaas_api;

-- Two ways to files without a person's sign-in: a link that opens one file for a while, and a token of an allocation that opens the
-- files of its project until the allocation ends. Of both only a digest is kept.

create table storage_links (
  id uuid primary key,
  organization_id uuid not null,
  project_id uuid not null references storage_buckets,
  -- A file that is removed for good takes its links with it.
  object_id uuid not null references storage_objects on delete cascade,
  secret_hash bytea not null check (length(secret_hash) = 32),
  created_by text not null,
  created_at timestamptz not null default act_time(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  opened bigint not null default 0,
  last_opened_at timestamptz,
  constraint storage_links_secret unique (secret_hash),
  constraint storage_links_ends check (expires_at > created_at)
);
create index storage_links_page on storage_links (organization_id, project_id, id);
create index storage_links_project on storage_links (project_id);
create index storage_links_object on storage_links (object_id);

create table storage_tokens (
  id uuid primary key,
  organization_id uuid not null,
  project_id uuid not null references projects,
  allocation_id uuid not null,
  level text not null check (level in ('read', 'write')),
  token_hash bytea not null check (length(token_hash) = 32),
  -- The person or program who made it. The token opens no more than they may.
  created_by uuid not null,
  created_at timestamptz not null default act_time(),
  revoked_at timestamptz,
  constraint storage_tokens_secret unique (token_hash),
  foreign key (allocation_id, organization_id) references allocations (id, organization_id)
);
create index storage_tokens_allocation on storage_tokens (allocation_id, organization_id, id);
create index storage_tokens_project on storage_tokens (project_id);
create index storage_tokens_organization on storage_tokens (organization_id);

create trigger guard_act before insert or update or delete or truncate on storage_links
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on storage_links
  deferrable initially deferred for each row execute function guard_audit();
alter table storage_links enable row level security;
create policy reach on storage_links using (within_wall(organization_id));
create trigger guard_act before insert or update or delete or truncate on storage_tokens
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on storage_tokens
  deferrable initially deferred for each row execute function guard_audit();
alter table storage_tokens enable row level security;
create policy reach on storage_tokens using (within_wall(organization_id));

grant select, insert, update (revoked_at, opened, last_opened_at) on storage_links to gpuaas_api;
grant select, insert, update (revoked_at) on storage_tokens to gpuaas_api;

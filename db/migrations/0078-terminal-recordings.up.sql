-- Recordings of terminal sessions. A recording has the id of its session. Its bytes lie in the object store, in chunks; the rows of
-- chunks only grow, and each names the digest of the one before it.

create table terminal_recordings (
  id uuid primary key references terminal_sessions,
  organization_id uuid not null references organizations,
  project_id uuid not null references projects,
  allocation_id uuid not null references allocations,
  user_id uuid not null references users,
  kind text not null check (kind in ('metadata', 'output')),
  records_input boolean not null,
  created_at timestamptz not null default act_time(),
  -- What is stored so far. The first chunk says when it began.
  began_at timestamptz,
  chunks integer not null default 0 check (chunks >= 0),
  stored_bytes bigint not null default 0 check (stored_bytes >= 0),
  recorded_to bigint not null default 0 check (recorded_to >= 0),
  last_ms bigint not null default 0 check (last_ms >= 0),
  last_sha256 text check (last_sha256 ~ '^[0-9a-f]{64}$'),
  -- The last chunk came: nothing follows.
  finished_at timestamptz,
  -- Its bytes were removed at the end of its retention. The rows of its chunks stay.
  removed_at timestamptz,
  constraint terminal_recordings_begun check ((began_at is null) = (chunks = 0) and (last_sha256 is null) = (chunks = 0))
);
create index terminal_recordings_page on terminal_recordings (organization_id, id);
create index terminal_recordings_allocation on terminal_recordings (allocation_id, id);
create index terminal_recordings_user on terminal_recordings (user_id, id);
create index terminal_recordings_project on terminal_recordings (project_id);
create index terminal_recordings_kept on terminal_recordings (id) where removed_at is null and chunks > 0;

create table terminal_recording_chunks (
  recording_id uuid not null references terminal_recordings,
  sequence integer not null check (sequence >= 1),
  organization_id uuid not null references organizations,
  from_offset bigint not null check (from_offset >= 0),
  to_offset bigint not null,
  last_ms bigint not null check (last_ms >= 0),
  size_bytes integer not null check (size_bytes > 0),
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  -- Of the chunk before; zeros for the first.
  previous_sha256 text not null check (previous_sha256 ~ '^[0-9a-f]{64}$'),
  object_key text not null check (length(object_key) <= 300),
  created_at timestamptz not null default act_time(),
  primary key (recording_id, sequence),
  constraint terminal_recording_chunks_range check (to_offset >= from_offset)
);
create index terminal_recording_chunks_organization on terminal_recording_chunks (organization_id);

-- Guards.
create trigger guard_act before insert or update or delete or truncate on terminal_recordings
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on terminal_recordings
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_act before insert or update or delete or truncate on terminal_recording_chunks
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on terminal_recording_chunks
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_append_only before update or delete on terminal_recording_chunks
  for each row execute function guard_append_only();
create trigger guard_truncate before truncate on terminal_recording_chunks
  for each statement execute function guard_append_only();

-- Walls.
alter table terminal_recordings enable row level security;
create policy reach on terminal_recordings using (within_wall(organization_id));
alter table terminal_recording_chunks enable row level security;
create policy reach on terminal_recording_chunks using (within_wall(organization_id));

-- Who may do what: the api alone stores chunks and removes recordings.
grant select, insert on terminal_recordings to gpuaas_api;
grant update (began_at, chunks, stored_bytes, recorded_to, last_ms, last_sha256, finished_at, removed_at)
  on terminal_recordings to gpuaas_api;
grant select, insert on terminal_recording_chunks to gpuaas_api;

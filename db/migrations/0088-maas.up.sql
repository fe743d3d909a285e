-- Bare metal with MAAS: sites, the machines that were seen there, and what was asked of them. What MAAS says of a machine, what the node
-- is and what an allocation is are three states in three tables; none is ever written from another.

create table maas_sites (
  id uuid primary key,
  name text not null unique check (name ~ '^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$'),
  region text not null references regions (slug),
  url text not null check (length(url) between 8 and 500),
  ca_pem text check (length(ca_pem) <= 20000),
  pool text check (length(pool) between 1 and 100),
  osystem text not null check (osystem ~ '^[a-z0-9][a-z0-9._-]{0,62}$'),
  series text not null check (series ~ '^[a-z0-9][a-z0-9._-]{0,62}$'),
  erase text not null check (erase in ('secure', 'full', 'quick')),
  max_parallel integer not null check (max_parallel between 1 and 50),
  -- The key of MAAS, sealed with a key that is not in the database.
  sealed_key bytea not null,
  -- Where hosts enrol, for the document that a deployed machine reads.
  door_url text not null,
  door_fingerprint text,
  downloads text not null,
  -- What the last look at it found.
  release text,
  username text,
  seen_at timestamptz,
  problem text check (length(problem) <= 500),
  problem_since timestamptz,
  revision bigint not null default 1,
  created_at timestamptz not null default act_time(),
  updated_at timestamptz not null default act_time(),
  constraint maas_sites_problem check ((problem is null) = (problem_since is null))
);

create table maas_machines (
  site_id uuid not null references maas_sites on delete cascade,
  system_id text not null check (system_id ~ '^[a-z0-9]{1,32}$'),
  hostname text not null,
  status text not null,
  detail text not null,
  power text not null check (power in ('on', 'off', 'error', 'unknown')),
  owner text,
  node_note text,
  architecture text not null,
  cpus integer not null,
  memory_mib integer not null,
  tags text[] not null,
  -- The node that was made of it. Nobody sells a machine without one.
  node_id uuid unique references nodes,
  changed_at timestamptz not null default act_time(),
  -- Since when MAAS does not list it.
  missing_since timestamptz,
  primary key (site_id, system_id)
);

create table maas_jobs (
  id uuid primary key,
  site_id uuid not null,
  system_id text not null,
  kind text not null check (kind in ('onboard', 'reimage', 'decommission', 'commission', 'power_on', 'power_off')),
  state text not null default 'queued',
  version bigint not null default 1,
  -- The step that was last begun, and what is waited for.
  phase text not null default 'queued',
  wait_token text unique,
  -- Written before MAAS is asked to allocate: from then on the machine may be ours, and is given back when the job fails.
  taken boolean not null default false,
  -- The run of another saga that waits for the end of this job.
  answer_token text unique,
  node_id uuid references nodes,
  node_name text,
  sku text,
  enrolment_id uuid references node_enrolments,
  reason text not null check (length(reason) between 3 and 500),
  problem text check (length(problem) <= 1000),
  created_by text not null,
  created_at timestamptz not null default act_time(),
  updated_at timestamptz not null default act_time(),
  ended_at timestamptz,
  foreign key (site_id, system_id) references maas_machines (site_id, system_id) on delete cascade,
  constraint maas_jobs_ended check ((state in ('succeeded', 'failed')) = (ended_at is not null)),
  constraint maas_jobs_onboard check (kind <> 'onboard' or (node_name is not null and sku is not null))
);
-- One thing at a time is done to a machine.
create unique index maas_jobs_one on maas_jobs (site_id, system_id) where state in ('queued', 'running');
create index maas_jobs_page on maas_jobs (site_id, id);
create index maas_jobs_machine on maas_jobs (site_id, system_id);
create index maas_jobs_node on maas_jobs (node_id);
create index maas_jobs_enrolment on maas_jobs (enrolment_id);
create index maas_sites_region on maas_sites (region);
create index maas_jobs_open on maas_jobs (created_at) where state in ('queued', 'running');

insert into machine_edges (machine, from_state, to_state) values
  ('maas_job', '', 'queued'),
  ('maas_job', 'queued', 'running'),
  ('maas_job', 'queued', 'failed'),
  ('maas_job', 'running', 'succeeded'),
  ('maas_job', 'running', 'failed');

create trigger guard_act before insert or update or delete or truncate on maas_sites
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on maas_sites
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_act before insert or update or delete or truncate on maas_machines
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on maas_machines
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_act before insert or update or delete or truncate on maas_jobs
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on maas_jobs
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_machine before insert or update on maas_jobs
  for each row execute function guard_machine('maas_job');

-- Operators and our own processes only.
alter table maas_sites enable row level security;
create policy reach on maas_sites using (current_setting('gpuaas.reach', true) = 'platform');
alter table maas_machines enable row level security;
create policy reach on maas_machines using (current_setting('gpuaas.reach', true) = 'platform');
alter table maas_jobs enable row level security;
create policy reach on maas_jobs using (current_setting('gpuaas.reach', true) = 'platform');

grant select, insert, update, delete on maas_sites to gpuaas_api;
grant select on maas_machines to gpuaas_api;
grant select, insert, update on maas_jobs to gpuaas_api;
grant select on maas_sites to gpuaas_worker;
grant update (release, username, seen_at, problem, problem_since) on maas_sites to gpuaas_worker;
grant select, insert, update on maas_machines to gpuaas_worker;
grant select, insert, update on maas_jobs to gpuaas_worker;
-- The document that a deployed machine reads names the newest package of the agent.
grant select on agent_releases to gpuaas_worker;

-- A host that was imaged anew has lost its key: it enrols with a token that only its deployment was given.
alter table node_enrolments drop constraint node_enrolments_purpose_check;
alter table node_enrolments add constraint node_enrolments_purpose_check check (purpose in ('enrol', 'recover', 'reimage'));

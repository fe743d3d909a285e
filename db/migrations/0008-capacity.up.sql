-- Capacity: what is sold, the hosts it is sold from, and who holds it. Catalogue and fleet belong to the platform; an
-- allocation and everything about it belongs to an organization.

create table regions (
  slug text primary key check (slug ~ '^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$'),
  name text not null check (length(name) between 1 and 200),
  active boolean not null default true,
  created_at timestamptz not null default act_time()
);

create table skus (
  slug text primary key check (slug ~ '^[a-z0-9](?:[a-z0-9.-]{0,61}[a-z0-9])?$'),
  vendor text not null check (length(vendor) between 1 and 100),
  display_name text not null check (length(display_name) between 1 and 200),
  -- As nvidia-smi says it; a readiness attestation is compared with this.
  gpu_model text not null check (length(gpu_model) between 1 and 100),
  gpu_memory_mib integer not null check (gpu_memory_mib > 0),
  capacity_shape text not null check (capacity_shape in ('baremetal', 'gpu_slice')),
  gpus_total integer not null check (gpus_total between 1 and 64),
  allowed_gpu_counts integer[] not null check (cardinality(allowed_gpu_counts) > 0),
  billing_unit text not null check (billing_unit in ('gpu_hour', 'node_hour')),
  -- Fabric, and the sizes of virtual machine by GPU count; the contract has its schema.
  resource_profile jsonb not null default '{}',
  active boolean not null default true,
  created_at timestamptz not null default act_time(),
  updated_at timestamptz not null default act_time(),
  check (capacity_shape = 'gpu_slice' or allowed_gpu_counts = array[gpus_total])
);

-- A price is never changed: a new one takes effect later, and what was promised can be looked up for ever.
create table sku_prices (
  id uuid primary key,
  sku text not null references skus,
  region text references regions,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  unit_price_minor bigint not null check (unit_price_minor >= 0),
  effective_from timestamptz not null,
  created_at timestamptz not null default act_time(),
  unique nulls not distinct (sku, region, currency, effective_from)
);
create index sku_prices_region on sku_prices (region);

create table os_images (
  id uuid primary key,
  slug text not null unique check (slug ~ '^[a-z0-9][a-z0-9.-]{0,99}$'),
  display_name text not null check (length(display_name) between 1 and 200),
  digest text not null check (digest ~ '^sha256:[0-9a-f]{64}$'),
  driver_strategy text not null check (driver_strategy in ('preinstalled', 'cloud_init')),
  size_bytes bigint not null check (size_bytes > 0),
  skus text[] not null,
  active boolean not null default true,
  created_at timestamptz not null default act_time(),
  updated_at timestamptz not null default act_time()
);

create table nodes (
  id uuid primary key,
  name text not null check (name ~ '^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$'),
  region text not null references regions,
  sku text not null references skus,
  gpus_total integer not null check (gpus_total between 1 and 64),
  onboarding_mode text not null default 'manual' check (onboarding_mode in ('manual', 'maas')),
  address text check (length(address) between 1 and 253),
  labels jsonb not null default '{}',
  state text not null default 'bootstrap_issued',
  version bigint not null default 1,
  state_reason text,
  -- Whether new work may be placed here: switched by cordoning, whatever the state.
  schedulable boolean not null default false,
  cordon_reason text,
  -- What the host said it is made of, at its last discovery.
  topology jsonb,
  topology_at timestamptz,
  -- The raw Ed25519 key, in base64url, that this node signs its results with.
  result_key text check (result_key ~ '^[A-Za-z0-9_-]{43}$'),
  enrolled_at timestamptz,
  drain_deadline_at timestamptz,
  created_at timestamptz not null default act_time(),
  updated_at timestamptz not null default act_time()
);
create unique index nodes_name on nodes (name) where state <> 'deleted';
create index nodes_sku on nodes (sku, region, id);
create index nodes_region on nodes (region, id);

-- The last word of each node. Written for many nodes at once and without an act: losing it loses nothing.
create table node_reports (
  node_id uuid primary key references nodes,
  reported_at timestamptz not null,
  boot_id uuid not null,
  agent_version text not null,
  clock_skew_ms bigint not null,
  conditions jsonb not null,
  leases jsonb not null,
  running_tasks jsonb not null,
  gpu_utilization integer[]
) with (fillfactor = 50);

create table node_image_cache (
  node_id uuid not null references nodes,
  image_id uuid not null references os_images,
  digest text not null check (digest ~ '^sha256:[0-9a-f]{64}$'),
  verified_at timestamptz not null,
  primary key (node_id, image_id)
);
create index node_image_cache_image on node_image_cache (image_id, node_id);

-- One-time tokens of hosts. They open the enrolment of one node and nothing else, and are kept hashed.
create table node_enrolments (
  id uuid primary key,
  node_id uuid not null references nodes,
  purpose text not null check (purpose in ('enrol', 'recover')),
  token_hash bytea not null unique,
  expires_at timestamptz not null,
  used_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz not null default act_time()
);
create index node_enrolments_node on node_enrolments (node_id, id);

create table node_certificates (
  serial text primary key check (serial ~ '^[0-9a-f]{2,40}$'),
  node_id uuid not null references nodes,
  not_before timestamptz not null,
  not_after timestamptz not null,
  revoked_at timestamptz,
  revoke_reason text,
  created_at timestamptz not null default act_time()
);
create index node_certificates_node on node_certificates (node_id, not_after desc);

-- What tasks are signed with. The private halves are sealed with a key that is not in the database.
create table task_signers (
  id uuid primary key,
  public_key text not null unique check (public_key ~ '^[A-Za-z0-9_-]{43}$'),
  sealed_private_key bytea not null,
  state text not null default 'staged',
  version bigint not null default 1,
  published_at timestamptz not null default act_time(),
  effective_at timestamptz not null default act_time(),
  retires_at timestamptz
);
create unique index task_signers_active on task_signers (state) where state = 'active';

create table slots (
  id uuid primary key,
  node_id uuid not null references nodes,
  slot_index integer not null check (slot_index between 0 and 255),
  state text not null default 'disabled',
  version bigint not null default 1,
  -- Grows with every reservation. Leases, tasks and results carry it, so that a late actor is told from the present one.
  generation bigint not null default 0,
  allocation_id uuid,
  gpu_uuid text not null check (gpu_uuid ~ '^GPU-[0-9a-f-]{36}$'),
  gpu_model text not null,
  gpu_memory_mib integer not null check (gpu_memory_mib > 0),
  pci_address text not null check (pci_address ~ '^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$'),
  fabric_vf_pci_address text,
  nvme_device text,
  mac_address text,
  private_ip text,
  numa_node integer not null,
  health_state text not null default 'healthy' check (health_state in ('healthy', 'degraded', 'failed', 'unknown')),
  health_detail text,
  -- Why it is quarantined, blocked or disabled, for whoever looks.
  state_reason text,
  created_at timestamptz not null default act_time(),
  updated_at timestamptz not null default act_time(),
  unique (node_id, slot_index),
  unique (node_id, gpu_uuid),
  -- Held by somebody exactly while it is not free.
  check ((state in ('reserved', 'in_use')) <= (allocation_id is not null)),
  check ((state in ('available', 'disabled')) <= (allocation_id is null))
);
create index slots_allocation on slots (allocation_id);
create index slots_free on slots (node_id, numa_node, slot_index) where state = 'available' and health_state = 'healthy';

create table allocation_groups (
  id uuid primary key,
  organization_id uuid not null,
  project_id uuid not null,
  name text not null check (length(name) between 1 and 200),
  created_by text not null,
  release_requested_at timestamptz,
  created_at timestamptz not null default act_time(),
  foreign key (project_id, organization_id) references projects (id, organization_id),
  unique (id, organization_id)
);
create index allocation_groups_project on allocation_groups (project_id, organization_id, id);

create table allocations (
  id uuid primary key,
  organization_id uuid not null,
  project_id uuid not null,
  group_id uuid,
  name text not null check (length(name) between 1 and 200),
  tags jsonb not null default '{}',
  requested_by text not null,
  state text not null default 'requested',
  version bigint not null default 1,
  placement_status text not null check (placement_status in ('queued', 'reserved', 'leased', 'freed')),
  sku text not null references skus,
  capacity_shape text not null check (capacity_shape in ('baremetal', 'gpu_slice')),
  gpu_count integer not null check (gpu_count between 1 and 64),
  region text not null references regions,
  -- The size of the virtual machine, as it was when it was promised.
  profile jsonb,
  image_id uuid references os_images,
  price_id uuid references sku_prices,
  unit_price_minor bigint not null check (unit_price_minor >= 0),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  node_id uuid references nodes,
  -- The generation of the present lease; 0 while there is none.
  generation bigint not null default 0,
  isolation_model text not null check (isolation_model in ('user-revoke', 'full-reimage')),
  login jsonb,
  -- Where it is reached, once it is active.
  access jsonb,
  max_duration_seconds integer check (max_duration_seconds > 0),
  expires_at timestamptz,
  idle_minutes integer check (idle_minutes > 0),
  idle_action text check (idle_action in ('warn', 'release')),
  idle_since timestamptz,
  idle_warned_at timestamptz,
  queue_deadline_at timestamptz,
  failure_code text,
  failure_reason text,
  release_reason text,
  release_attempts integer not null default 0,
  provisioning_started_at timestamptz,
  active_at timestamptz,
  releasing_at timestamptz,
  ended_at timestamptz,
  created_at timestamptz not null default act_time(),
  updated_at timestamptz not null default act_time(),
  foreign key (project_id, organization_id) references projects (id, organization_id),
  foreign key (group_id, organization_id) references allocation_groups (id, organization_id),
  unique (id, organization_id),
  check ((placement_status = 'queued') <= (state = 'requested')),
  check ((state in ('provisioning', 'active', 'releasing')) <= (node_id is not null and generation > 0)),
  check ((state = 'failed') <= (failure_code is not null))
);
create index allocations_project on allocations (project_id, organization_id, id);
create index allocations_organization on allocations (organization_id, id);
create index allocations_group on allocations (group_id, organization_id);
create index allocations_live on allocations (state, id) where state not in ('released', 'failed');
create index allocations_node on allocations (node_id, id);
create index allocations_queue on allocations (sku, region, created_at, id) where placement_status = 'queued';
create index allocations_requester on allocations (organization_id, requested_by)
  where state not in ('released', 'failed');
create index allocations_expiry on allocations (expires_at) where expires_at is not null and state = 'active';
create index allocations_image on allocations (image_id);
create index allocations_price on allocations (price_id);
create index allocations_sku on allocations (sku, id);
create index allocations_region on allocations (region, id);

alter table slots add foreign key (allocation_id) references allocations;

-- Which slots an allocation has held, and holds. The index is the last word against booking one twice.
create table allocation_claims (
  id uuid primary key,
  allocation_id uuid not null,
  organization_id uuid not null,
  slot_id uuid not null references slots,
  node_id uuid not null references nodes,
  kind text not null check (kind in ('slot', 'node_exclusive')),
  generation bigint not null check (generation > 0),
  claimed_at timestamptz not null default act_time(),
  freed_at timestamptz,
  foreign key (allocation_id, organization_id) references allocations (id, organization_id)
);
create unique index allocation_claims_live on allocation_claims (slot_id) where freed_at is null;
create index allocation_claims_allocation on allocation_claims (allocation_id, organization_id);
create index allocation_claims_slot on allocation_claims (slot_id, id);
create index allocation_claims_node on allocation_claims (node_id, id);

-- Why it was placed there, or nowhere: one document per decision.
create table placement_decisions (
  id uuid primary key,
  allocation_id uuid not null,
  organization_id uuid not null,
  outcome text not null check (outcome in ('placed', 'queued', 'refused')),
  document jsonb not null,
  decided_at timestamptz not null default act_time(),
  foreign key (allocation_id, organization_id) references allocations (id, organization_id)
);
create index placement_decisions_allocation on placement_decisions (allocation_id, organization_id, id);

create table allocation_ssh_keys (
  allocation_id uuid not null,
  organization_id uuid not null,
  ssh_key_id uuid not null,
  user_id uuid,
  fingerprint text not null,
  public_key text not null check (public_key ~ '^[a-z0-9@.-]+ [A-Za-z0-9+/]+={0,2}$'),
  added_at timestamptz not null default act_time(),
  primary key (allocation_id, ssh_key_id),
  foreign key (allocation_id, organization_id) references allocations (id, organization_id)
);
create index allocation_ssh_keys_allocation on allocation_ssh_keys (allocation_id, organization_id);

-- Everything that happened to an allocation, in order: each transition, each phase, each task. It only grows.
create table allocation_timeline (
  id uuid primary key,
  allocation_id uuid not null,
  organization_id uuid not null,
  at timestamptz not null default act_time(),
  kind text not null check (kind in ('transition', 'phase', 'task', 'note')),
  name text not null,
  from_state text,
  to_state text,
  version bigint,
  detail jsonb not null default '{}',
  correlation_id text,
  foreign key (allocation_id, organization_id) references allocations (id, organization_id)
);
create index allocation_timeline_allocation on allocation_timeline (allocation_id, organization_id, id);
create unique index allocation_timeline_version on allocation_timeline (allocation_id, version) where kind = 'transition';

-- What nodes swore to, with the signed result that carried it. It only grows.
create table readiness_attestations (
  id uuid primary key,
  allocation_id uuid not null,
  organization_id uuid not null,
  node_id uuid not null references nodes,
  task_id uuid not null,
  generation bigint not null check (generation > 0),
  passed boolean not null,
  problems text[] not null default '{}',
  document jsonb not null,
  signed_result jsonb not null,
  taken_at timestamptz not null,
  created_at timestamptz not null default act_time(),
  foreign key (allocation_id, organization_id) references allocations (id, organization_id)
);
create index readiness_attestations_allocation on readiness_attestations (allocation_id, organization_id, id);
create index readiness_attestations_node on readiness_attestations (node_id, id);

create table node_tasks (
  id uuid primary key,
  node_id uuid not null references nodes,
  -- Whose allocation it is about; none for work on the node itself.
  organization_id uuid,
  allocation_id uuid,
  task_type text not null,
  generation bigint not null check (generation > 0),
  state text not null default 'queued',
  version bigint not null default 1,
  -- Signed when it was queued: what is handed out is exactly what was decided.
  envelope jsonb not null,
  -- Answers the saga step that waits for this task.
  saga_token text,
  result jsonb,
  failure_code text,
  correlation_id text not null,
  issued_at timestamptz not null,
  expires_at timestamptz not null,
  dispatched_at timestamptz,
  finished_at timestamptz,
  created_at timestamptz not null default act_time(),
  foreign key (allocation_id, organization_id) references allocations (id, organization_id),
  check ((allocation_id is null) = (organization_id is null))
);
create index node_tasks_open on node_tasks (node_id, id) where state in ('queued', 'dispatched');
create index node_tasks_node on node_tasks (node_id, id);
create index node_tasks_allocation on node_tasks (allocation_id, organization_id, id);
create index node_tasks_expiry on node_tasks (expires_at) where state in ('queued', 'dispatched');

create trigger guard_act before insert or update or delete or truncate on regions
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on regions
  deferrable initially deferred for each row execute function guard_audit();

create trigger guard_act before insert or update or delete or truncate on skus
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on skus
  deferrable initially deferred for each row execute function guard_audit();

create trigger guard_act before insert or update or delete or truncate on sku_prices
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on sku_prices
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_append_only before update or delete on sku_prices
  for each row execute function guard_append_only();
create trigger guard_truncate before truncate on sku_prices
  for each statement execute function guard_append_only();

create trigger guard_act before insert or update or delete or truncate on os_images
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on os_images
  deferrable initially deferred for each row execute function guard_audit();

create trigger guard_act before insert or update or delete or truncate on nodes
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on nodes
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_machine before insert or update on nodes
  for each row execute function guard_machine('node');

create trigger guard_act before insert or update or delete or truncate on node_image_cache
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on node_image_cache
  deferrable initially deferred for each row execute function guard_audit();

create trigger guard_act before insert or update or delete or truncate on node_enrolments
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on node_enrolments
  deferrable initially deferred for each row execute function guard_audit();

create trigger guard_act before insert or update or delete or truncate on node_certificates
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on node_certificates
  deferrable initially deferred for each row execute function guard_audit();

create trigger guard_act before insert or update or delete or truncate on task_signers
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on task_signers
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_machine before insert or update on task_signers
  for each row execute function guard_machine('signer');

create trigger guard_act before insert or update or delete or truncate on slots
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on slots
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_machine before insert or update on slots
  for each row execute function guard_machine('slot');

create trigger guard_act before insert or update or delete or truncate on allocation_groups
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on allocation_groups
  deferrable initially deferred for each row execute function guard_audit();

create trigger guard_act before insert or update or delete or truncate on allocations
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on allocations
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_machine before insert or update on allocations
  for each row execute function guard_machine('allocation');

create trigger guard_act before insert or update or delete or truncate on allocation_claims
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on allocation_claims
  deferrable initially deferred for each row execute function guard_audit();

create trigger guard_act before insert or update or delete or truncate on placement_decisions
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on placement_decisions
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_append_only before update or delete on placement_decisions
  for each row execute function guard_append_only();
create trigger guard_truncate before truncate on placement_decisions
  for each statement execute function guard_append_only();

create trigger guard_act before insert or update or delete or truncate on allocation_ssh_keys
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on allocation_ssh_keys
  deferrable initially deferred for each row execute function guard_audit();

create trigger guard_act before insert or update or delete or truncate on allocation_timeline
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on allocation_timeline
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_append_only before update or delete on allocation_timeline
  for each row execute function guard_append_only();
create trigger guard_truncate before truncate on allocation_timeline
  for each statement execute function guard_append_only();

create trigger guard_act before insert or update or delete or truncate on readiness_attestations
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on readiness_attestations
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_append_only before update or delete on readiness_attestations
  for each row execute function guard_append_only();
create trigger guard_truncate before truncate on readiness_attestations
  for each statement execute function guard_append_only();

create trigger guard_act before insert or update or delete or truncate on node_tasks
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on node_tasks
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_machine before insert or update on node_tasks
  for each row execute function guard_machine('node_task');

insert into machine_edges (machine, from_state, to_state) values
  ('allocation', '', 'requested'),
  ('allocation', 'active', 'failed'),
  ('allocation', 'active', 'releasing'),
  ('allocation', 'provisioning', 'active'),
  ('allocation', 'provisioning', 'failed'),
  ('allocation', 'provisioning', 'releasing'),
  ('allocation', 'release_failed', 'failed'),
  ('allocation', 'release_failed', 'releasing'),
  ('allocation', 'releasing', 'release_failed'),
  ('allocation', 'releasing', 'released'),
  ('allocation', 'requested', 'failed'),
  ('allocation', 'requested', 'provisioning'),
  ('allocation', 'requested', 'released'),
  ('node', '', 'bootstrap_issued'),
  ('node', 'active', 'draining'),
  ('node', 'active', 'offline'),
  ('node', 'active', 'quarantined'),
  ('node', 'active', 'retired'),
  ('node', 'bootstrap_issued', 'bootstrap_issued'),
  ('node', 'bootstrap_issued', 'deleted'),
  ('node', 'bootstrap_issued', 'enrolling'),
  ('node', 'draining', 'active'),
  ('node', 'draining', 'quarantined'),
  ('node', 'draining', 'retired'),
  ('node', 'enrolling', 'active'),
  ('node', 'enrolling', 'bootstrap_issued'),
  ('node', 'enrolling', 'quarantined'),
  ('node', 'enrolling', 'removing'),
  ('node', 'offline', 'active'),
  ('node', 'offline', 'draining'),
  ('node', 'offline', 'offline'),
  ('node', 'offline', 'quarantined'),
  ('node', 'offline', 'retired'),
  ('node', 'quarantined', 'active'),
  ('node', 'quarantined', 'quarantined'),
  ('node', 'quarantined', 'removing'),
  ('node', 'quarantined', 'retired'),
  ('node', 'removing', 'deleted'),
  ('node', 'retired', 'active'),
  ('node', 'retired', 'removing'),
  ('node_task', '', 'queued'),
  ('node_task', 'dispatched', 'cancelled'),
  ('node_task', 'dispatched', 'dispatched'),
  ('node_task', 'dispatched', 'expired'),
  ('node_task', 'dispatched', 'failed'),
  ('node_task', 'dispatched', 'succeeded'),
  ('node_task', 'queued', 'cancelled'),
  ('node_task', 'queued', 'dispatched'),
  ('node_task', 'queued', 'expired'),
  ('signer', '', 'staged'),
  ('signer', 'active', 'grace'),
  ('signer', 'active', 'revoked'),
  ('signer', 'grace', 'active'),
  ('signer', 'grace', 'retired'),
  ('signer', 'grace', 'revoked'),
  ('signer', 'staged', 'active'),
  ('signer', 'staged', 'revoked'),
  ('slot', '', 'disabled'),
  ('slot', 'available', 'disabled'),
  ('slot', 'available', 'quarantined'),
  ('slot', 'available', 'reserved'),
  ('slot', 'cleaning', 'available'),
  ('slot', 'cleaning', 'cleanup_blocked'),
  ('slot', 'cleaning', 'quarantined'),
  ('slot', 'cleanup_blocked', 'available'),
  ('slot', 'cleanup_blocked', 'cleaning'),
  ('slot', 'cleanup_blocked', 'disabled'),
  ('slot', 'cleanup_blocked', 'quarantined'),
  ('slot', 'disabled', 'available'),
  ('slot', 'in_use', 'cleaning'),
  ('slot', 'in_use', 'cleanup_blocked'),
  ('slot', 'in_use', 'quarantined'),
  ('slot', 'quarantined', 'available'),
  ('slot', 'quarantined', 'disabled'),
  ('slot', 'reserved', 'available'),
  ('slot', 'reserved', 'cleaning'),
  ('slot', 'reserved', 'cleanup_blocked'),
  ('slot', 'reserved', 'in_use'),
  ('slot', 'reserved', 'quarantined');


alter table allocation_groups enable row level security;
create policy reach on allocation_groups using (within_wall(organization_id));
alter table allocations enable row level security;
create policy reach on allocations using (within_wall(organization_id));
alter table allocation_claims enable row level security;
create policy reach on allocation_claims using (within_wall(organization_id));
alter table placement_decisions enable row level security;
create policy reach on placement_decisions using (within_wall(organization_id));
alter table allocation_ssh_keys enable row level security;
create policy reach on allocation_ssh_keys using (within_wall(organization_id));
alter table allocation_timeline enable row level security;
create policy reach on allocation_timeline using (within_wall(organization_id));
alter table readiness_attestations enable row level security;
create policy reach on readiness_attestations using (within_wall(organization_id));
alter table node_tasks enable row level security;
create policy reach on node_tasks using (within_wall(organization_id));
alter table task_signers enable row level security;
create policy reach on task_signers using (current_setting('gpuaas.reach', true) = 'platform');

grant select, insert, update on regions, skus, os_images, nodes, node_image_cache, node_enrolments, node_certificates,
  task_signers, slots, allocation_groups, allocations, allocation_claims, node_tasks, node_reports
  to gpuaas_api, gpuaas_worker;
grant select, insert on sku_prices, placement_decisions, allocation_timeline, readiness_attestations
  to gpuaas_api, gpuaas_worker;
grant select, insert, delete on allocation_ssh_keys to gpuaas_api, gpuaas_worker;
grant delete on node_image_cache to gpuaas_api, gpuaas_worker;

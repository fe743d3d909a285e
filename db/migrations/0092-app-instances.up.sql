-- Instances of apps: containers of a project on its allocations, and the routes that lead to them.

create table app_instances (
  id uuid primary key,
  organization_id uuid not null references organizations,
  project_id uuid not null references projects,
  -- An instance cannot be without capacity, and cannot begin on capacity that is not there (guard_app_capacity).
  allocation_id uuid not null references allocations,
  app_version_id uuid not null references app_versions,
  app_reference text not null,
  app_version text not null,
  requested_by text not null,
  name text not null check (length(name) between 1 and 200),
  state text not null default 'requested',
  version bigint not null default 1,
  -- Launched together with its allocation, and released together with it.
  owns_allocation boolean not null,
  parameters jsonb not null default '{}'::jsonb check (jsonb_typeof(parameters) = 'object'),
  -- The container of this try: another try has another one.
  workload_id uuid,
  -- The last container that its host has confirmed to be gone. While it is another one than that of this try, an end is asked for again.
  gone_workload_id uuid,
  attempts integer not null default 0 check (attempts >= 0),
  phase text check (length(phase) <= 64),
  created_at timestamptz not null default act_time(),
  -- When this start was first asked for, when it last moved on, and when its host was last asked about it.
  asked_at timestamptz not null default act_time(),
  moved_at timestamptz not null default act_time(),
  probed_at timestamptz not null default act_time(),
  ready_at timestamptz,
  ended_at timestamptz,
  failure_code text check (length(failure_code) <= 64),
  failure_reason text check (length(failure_reason) <= 1000),
  end_reason text check (length(end_reason) <= 64),
  constraint app_instances_tenant unique (organization_id, project_id, id),
  constraint app_instances_ended check ((state = 'released') = (ended_at is not null)),
  constraint app_instances_container check (state not in ('launching', 'running', 'stopping') or workload_id is not null)
);
create index app_instances_project on app_instances (project_id);
create index app_instances_allocation on app_instances (allocation_id);
create index app_instances_app_version on app_instances (app_version_id);
create index app_instances_live on app_instances (id) where state <> 'released';

-- Where a name of an app leads, and who may use it. The api decides by these rows for each request.
create table app_routes (
  id uuid primary key,
  organization_id uuid not null references organizations,
  project_id uuid not null references projects,
  app_instance_id uuid not null,
  endpoint_name text not null check (length(endpoint_name) between 1 and 32),
  label text not null check (label ~ '^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$'),
  proxy_pool text not null default 'shared' check (proxy_pool in ('shared')),
  route_family text not null check (route_family in ('browser', 'api')),
  client_auth_mode text not null check (client_auth_mode in ('browser_oidc', 'api_bearer')),
  target_port integer not null check (target_port between 1 and 65535),
  created_at timestamptz not null default act_time(),
  -- A route leads to an instance of its own organization and project alone.
  foreign key (organization_id, project_id, app_instance_id) references app_instances (organization_id, project_id, id)
);
create unique index app_routes_label on app_routes (label);
create unique index app_routes_endpoint on app_routes (app_instance_id, endpoint_name);
create index app_routes_instance on app_routes (organization_id, project_id, app_instance_id);
create index app_routes_project on app_routes (project_id);

-- What happened to an instance. It only grows.
create table app_instance_timeline (
  id uuid primary key,
  organization_id uuid not null references organizations,
  app_instance_id uuid not null references app_instances,
  at timestamptz not null default act_time(),
  name text not null check (length(name) between 1 and 64),
  from_state text,
  to_state text,
  detail jsonb not null default '{}'::jsonb,
  correlation_id text
);
create index app_instance_timeline_page on app_instance_timeline (app_instance_id, id);
create index app_instance_timeline_organization on app_instance_timeline (organization_id);

insert into machine_edges (machine, from_state, to_state) values
  ('app_instance', '', 'requested'),
  ('app_instance', 'failed', 'launching'),
  ('app_instance', 'failed', 'released'),
  ('app_instance', 'failed', 'releasing'),
  ('app_instance', 'launching', 'failed'),
  ('app_instance', 'launching', 'released'),
  ('app_instance', 'launching', 'releasing'),
  ('app_instance', 'launching', 'running'),
  ('app_instance', 'launching', 'stopping'),
  ('app_instance', 'releasing', 'released'),
  ('app_instance', 'requested', 'failed'),
  ('app_instance', 'requested', 'launching'),
  ('app_instance', 'requested', 'released'),
  ('app_instance', 'running', 'failed'),
  ('app_instance', 'running', 'released'),
  ('app_instance', 'running', 'releasing'),
  ('app_instance', 'running', 'stopping'),
  ('app_instance', 'stopped', 'launching'),
  ('app_instance', 'stopped', 'released'),
  ('app_instance', 'stopped', 'releasing'),
  ('app_instance', 'stopping', 'released'),
  ('app_instance', 'stopping', 'releasing'),
  ('app_instance', 'stopping', 'stopped');

-- An instance begins only on capacity that is there. The lock makes a release that runs at the same time come first or wait.
create function guard_app_capacity() returns trigger language plpgsql as $$
declare held text;
begin
  if tg_op = 'UPDATE' and (new.state = old.state or new.state <> 'launching') then
    return new;
  end if;
  select a.state into held from allocations a
    where a.id = new.allocation_id and a.organization_id = new.organization_id and a.project_id = new.project_id
    for share;
  if held is null or (held <> 'active' and (new.state <> 'requested' or held not in ('requested', 'provisioning'))) then
    raise exception 'an instance of an app needs an active allocation of its project, and this one is %', coalesce(held, 'none of its')
      using errcode = 'check_violation', constraint = 'app_instances_capacity';
  end if;
  return new;
end $$;

-- Guards.
create trigger guard_act before insert or update or delete or truncate on app_instances
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on app_instances
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_machine before insert or update on app_instances
  for each row execute function guard_machine('app_instance');
create trigger guard_app_capacity before insert or update on app_instances
  for each row execute function guard_app_capacity();
create trigger guard_act before insert or update or delete or truncate on app_routes
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on app_routes
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_act before insert or update or delete or truncate on app_instance_timeline
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on app_instance_timeline
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_append_only before update or delete on app_instance_timeline
  for each row execute function guard_append_only();
create trigger guard_truncate before truncate on app_instance_timeline
  for each statement execute function guard_append_only();

-- Walls.
alter table app_instances enable row level security;
create policy reach on app_instances using (within_wall(organization_id));
alter table app_routes enable row level security;
create policy reach on app_routes using (within_wall(organization_id));
alter table app_instance_timeline enable row level security;
create policy reach on app_instance_timeline using (within_wall(organization_id));

-- Who may do what: the api launches, stops and takes results; the worker watches, tries again and ends.
grant select, insert, update (state, version, workload_id, gone_workload_id, attempts, phase, asked_at, moved_at, probed_at, ready_at, ended_at, failure_code,
  failure_reason, end_reason) on app_instances to gpuaas_api;
grant select, update (state, version, workload_id, gone_workload_id, attempts, phase, asked_at, moved_at, probed_at, ready_at, ended_at, failure_code,
  failure_reason, end_reason) on app_instances to gpuaas_worker;
grant select, insert on app_routes to gpuaas_api;
grant select on app_routes to gpuaas_worker;
grant select, insert on app_instance_timeline to gpuaas_api, gpuaas_worker;

-- As before, with what the worker says about instances.
create or replace function event_of_family(p_family text, p_subject text) returns boolean language sql immutable
  return case p_family
    when 'gpuaas_worker' then p_subject in (
      'apps.instance.failed',
      'apps.instance.launching',
      'apps.instance.released',
      'apps.instance.running',
      'apps.instance.stopped',
      'provisioning.active',
      'provisioning.alert.changed',
      'provisioning.alert.closed',
      'provisioning.alert.opened',
      'provisioning.attested',
      'provisioning.breaker.tripped',
      'provisioning.cleanup.requested',
      'provisioning.drain_called_off',
      'provisioning.drain_notice',
      'provisioning.failed',
      'provisioning.idle',
      'provisioning.node.admitted',
      'provisioning.node.drained',
      'provisioning.node.lost',
      'provisioning.node.quarantined',
      'provisioning.node.reimaged',
      'provisioning.node.removed',
      'provisioning.node.returned',
      'provisioning.queued',
      'provisioning.release_failed',
      'provisioning.releasing.completed',
      'provisioning.releasing.requested',
      'provisioning.requested',
      'provisioning.retried',
      'provisioning.started',
      'provisioning.stopped',
      'tenancy.project.removal_failed',
      'tenancy.project.removed',
      'terminal.session.ended'
    )
    when 'gpuaas_billing' then p_subject in (
      'billing.auto_release_pending',
      'billing.balance_depleted',
      'billing.balance_recovered',
      'billing.budget_threshold_reached',
      'billing.document_issued',
      'billing.invoice_past_due',
      'billing.low_balance_warning',
      'billing.machines_stopped',
      'payments.auto_top_up_action_required',
      'payments.auto_top_up_failed',
      'payments.balance_credited',
      'payments.disputed',
      'payments.failed',
      'payments.reconcile_failed',
      'payments.refunded',
      'provisioning.force_release_requested'
    )
    when 'gpuaas_webhooks' then p_subject in ('notifications.webhook.disabled')
    else false
  end;

-- What apps are used for: requests, bytes and units of their own, by route and hour. Each copy of the app-proxy hands in what it has counted
-- up to now, so a report that comes twice changes nothing.

create table app_use (
  id uuid primary key,
  organization_id uuid not null references organizations,
  project_id uuid not null references projects,
  app_instance_id uuid not null,
  route_id uuid not null references app_routes,
  app_version_id uuid not null references app_versions,
  app_reference text not null,
  app_version text not null,
  endpoint_name text not null,
  operating_mode text not null,
  copy_id uuid not null,
  hour timestamptz not null check (hour = date_trunc('hour', hour, 'UTC')),
  requests bigint not null check (requests >= 0),
  failures bigint not null check (failures >= 0),
  bytes_in bigint not null check (bytes_in >= 0),
  bytes_out bigint not null check (bytes_out >= 0),
  units jsonb not null default '{}'::jsonb check (jsonb_typeof(units) = 'object'),
  last_at timestamptz not null,
  correlation_id text not null check (length(correlation_id) <= 64),
  constraint app_use_once unique (route_id, hour, copy_id),
  foreign key (organization_id, project_id, app_instance_id) references app_instances (organization_id, project_id, id)
);
create index app_use_instance on app_use (organization_id, project_id, app_instance_id, hour);
create index app_use_project on app_use (project_id, hour);
create index app_use_version on app_use (app_version_id);

create trigger guard_act before insert or update or delete or truncate on app_use
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on app_use
  deferrable initially deferred for each row execute function guard_audit();
alter table app_use enable row level security;
create policy reach on app_use using (within_wall(organization_id));
grant select, insert, update (requests, failures, bytes_in, bytes_out, units, last_at, correlation_id) on app_use to gpuaas_api;
grant select on app_use to gpuaas_worker;

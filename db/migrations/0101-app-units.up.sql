-- Units that apps count are charged where the version of the app has a price for them. It reads the rows of usage_windows once.

-- Whether the accrual has seen the last report of a row. A report clears it, so one that comes late is seen, too.
-- The prices are those of the version that counted: a manifest is its publisher's, and these rows are the tenant's.
alter table app_use add column counted boolean not null default false,
  add column prices jsonb not null default '{}'::jsonb check (jsonb_typeof(prices) = 'object');
create index app_use_uncounted on app_use (app_instance_id) where not counted;

-- What an instance has counted of one unit with one version, whenever more of it was charged: the evidence of a window.
create table app_use_readings (
  app_instance_id uuid not null references app_instances,
  meter text not null,
  at timestamptz not null,
  organization_id uuid not null,
  app_version_id uuid not null references app_versions,
  endpoint_name text not null,
  operating_mode text not null,
  -- Of the last report of the app-proxy that is in the count.
  correlation_id text not null,
  -- Since the instance has had this version.
  count bigint not null check (count > 0),
  digest bytea not null check (length(digest) = 32),
  primary key (app_instance_id, meter, at)
);
create index app_use_readings_organization on app_use_readings (organization_id);
create index app_use_readings_version on app_use_readings (app_version_id);

create function app_use_reading_text(
  p_instance uuid, p_meter text, p_at timestamptz, p_organization uuid, p_version uuid, p_endpoint text, p_mode text,
  p_correlation text, p_count bigint
) returns text language sql stable
  return p_instance::text || chr(31) || p_meter || chr(31) || (extract(epoch from p_at) * 1000000)::bigint::text || chr(31)
    || p_organization::text || chr(31) || p_version::text || chr(31) || p_endpoint || chr(31) || p_mode || chr(31)
    || p_correlation || chr(31) || p_count::text;

-- How many parts of a minor unit the exact price of a unit is kept in: prices of hours times milliseconds, prices of counts.
create function usage_scale(p_unit text) returns numeric language sql immutable
  return case p_unit when 'unit' then 1000000 when 'thousand_units' then 1000000000 when 'million_units' then 1000000000000
    else 3600000000000 end::numeric;

-- The meter of an app names the unit and the version whose price it is: app:tokens@1.2.0.
alter table usage_meters drop constraint usage_meters_meter_check,
  add constraint usage_meters_meter_check check (meter in ('gpu_time', 'storage') or meter ~ '^app:[a-z0-9-]{1,32}@.{5,120}$'),
  drop constraint usage_meters_unit_check,
  add constraint usage_meters_unit_check
    check (unit in ('gpu_hour', 'node_hour', 'gib_hour', 'unit', 'thousand_units', 'million_units'));
alter table usage_windows drop constraint usage_windows_rounded,
  add constraint usage_windows_rounded check (charged_minor = div(exact * 2 + usage_scale(unit), 2 * usage_scale(unit)));

-- What apps have cost since yesterday is part of the hourly cost of an account.
create index usage_days_apps on usage_days (organization_id, day) where meter like 'app:%';

-- Guards.
create trigger guard_act before insert or update or delete or truncate on app_use_readings
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on app_use_readings
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_append_only before update or delete on app_use_readings
  for each row execute function guard_append_only();
create trigger guard_truncate before truncate on app_use_readings for each statement execute function guard_append_only();

-- Walls.
alter table app_use_readings enable row level security;
create policy reach on app_use_readings using (within_wall(organization_id));

-- Who may do what: the api takes reports, the billing-worker charges them.
grant select on app_use_readings to gpuaas_api;
grant select, insert on app_use_readings to gpuaas_billing;
grant update (counted) on app_use to gpuaas_api;
grant select, update (counted) on app_use to gpuaas_billing;
grant select (id, organization_id, requested_by) on app_instances to gpuaas_billing;
grant execute on function app_use_reading_text(uuid, text, timestamptz, uuid, uuid, text, text, text, bigint)
  to gpuaas_api, gpuaas_billing;
grant execute on function usage_scale(text) to gpuaas_api, gpuaas_billing;

drop index usage_days_apps;
revoke select (id, organization_id, requested_by) on app_instances from gpuaas_billing;
revoke select, update (counted) on app_use from gpuaas_billing;
revoke update (counted) on app_use from gpuaas_api;
alter table usage_windows drop constraint usage_windows_rounded,
  add constraint usage_windows_rounded check (charged_minor = div(exact * 2 + 3600000000000, 7200000000000));
alter table usage_meters drop constraint usage_meters_meter_check,
  add constraint usage_meters_meter_check check (meter in ('gpu_time', 'storage')),
  drop constraint usage_meters_unit_check,
  add constraint usage_meters_unit_check check (unit in ('gpu_hour', 'node_hour', 'gib_hour'));
drop function usage_scale(text);
drop table app_use_readings;
drop function app_use_reading_text(uuid, text, timestamptz, uuid, uuid, text, text, text, bigint);
drop index app_use_uncounted;
alter table app_use drop column counted, drop column prices;

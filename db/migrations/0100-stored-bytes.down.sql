drop function storage_buckets_hold(timestamptz, integer);
revoke insert on usage_meters from gpuaas_billing;
revoke select on storage_buckets from gpuaas_billing;
alter table usage_meters drop constraint usage_meters_meter_check,
  add constraint usage_meters_meter_check check (meter in ('gpu_time')),
  drop constraint usage_meters_unit_check,
  add constraint usage_meters_unit_check check (unit in ('gpu_hour', 'node_hour'));
drop table storage_prices;
drop trigger reading on storage_buckets;
drop trigger reading_first on storage_buckets;
drop function storage_reading_take();
drop table storage_readings;
drop function storage_reading_text(uuid, uuid, timestamptz, bigint, numeric);

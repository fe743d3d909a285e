-- What projects store is measured, priced and charged: a meter of its own, in gibibyte-hours.

-- How much a project stored, from each reading to the next one. `byte_us` is the sum of bytes times microseconds from the first reading
-- to this one, so that two readings tell what was stored between them, however many there are.
create table storage_readings (
  project_id uuid not null references storage_buckets,
  organization_id uuid not null,
  at timestamptz not null,
  stored_bytes bigint not null check (stored_bytes >= 0),
  byte_us numeric(38, 0) not null check (byte_us >= 0),
  -- SHA-256 of the text of the reading.
  digest bytea not null check (length(digest) = 32),
  primary key (project_id, at)
);
create index storage_readings_organization on storage_readings (organization_id);

create function storage_reading_text(
  p_project uuid, p_organization uuid, p_at timestamptz, p_bytes bigint, p_byte_us numeric
) returns text language sql stable
  return p_project::text || chr(31) || p_organization::text || chr(31) || (extract(epoch from p_at) * 1000000)::bigint::text
    || chr(31) || p_bytes::text || chr(31) || p_byte_us::text;

-- Each change of what a project stores takes a reading, whoever makes it. The row of the bucket is locked, so readings have an order,
-- and the accrual, which holds that row, sees every reading that is older than its own time.
create function storage_reading_take() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  last record;
  taken timestamptz;
  total numeric;
begin
  select r.at, r.stored_bytes, r.byte_us into last from storage_readings r where r.project_id = new.project_id
    order by r.at desc limit 1;
  taken := greatest(clock_timestamp(), last.at + interval '1 microsecond');
  total := coalesce(last.byte_us + last.stored_bytes::numeric * (extract(epoch from taken - last.at) * 1000000)::bigint, 0);
  insert into storage_readings (project_id, organization_id, at, stored_bytes, byte_us, digest)
    values (new.project_id, new.organization_id, taken, new.stored_bytes, total, sha256(convert_to(
      storage_reading_text(new.project_id, new.organization_id, taken, new.stored_bytes, total), 'UTF8')));
  return null;
end
$$;
insert into storage_readings (project_id, organization_id, at, stored_bytes, byte_us, digest)
  select b.project_id, b.organization_id, now(), b.stored_bytes, 0, sha256(convert_to(
    storage_reading_text(b.project_id, b.organization_id, now(), b.stored_bytes, 0), 'UTF8')) from storage_buckets b;
create trigger reading_first after insert on storage_buckets for each row execute function storage_reading_take();
create trigger reading after update of stored_bytes on storage_buckets for each row
  when (old.stored_bytes is distinct from new.stored_bytes) execute function storage_reading_take();

-- What a gibibyte costs for an hour, in 10^-6 minor units. As prices of SKUs it is never changed: a new one takes effect later.
create table storage_prices (
  id uuid primary key,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  rate_micro bigint not null check (rate_micro >= 0),
  effective_from timestamptz not null,
  created_by text not null,
  created_at timestamptz not null default act_time(),
  unique (currency, effective_from)
);

alter table usage_meters drop constraint usage_meters_meter_check,
  add constraint usage_meters_meter_check check (meter in ('gpu_time', 'storage')),
  drop constraint usage_meters_unit_check,
  add constraint usage_meters_unit_check check (unit in ('gpu_hour', 'node_hour', 'gib_hour'));

-- Projects with something to charge up to a moment. Their buckets are held until the transaction ends: what they store cannot change
-- meanwhile. Those that are held by somebody else are left for the next time.
create function storage_buckets_hold(p_to timestamptz, p_most integer) returns setof uuid
  language sql volatile security definer set search_path = pg_catalog, public, pg_temp as $$
  select b.project_id from storage_buckets b
    left join usage_meters m on m.resource_id = b.project_id and m.meter = 'storage'
    cross join lateral (select min(r.at) as first, max(r.at) as last from storage_readings r where r.project_id = b.project_id) r
  where coalesce(m.accrued_to, r.first) < p_to and (b.stored_bytes > 0 or m.accrued_to is null or r.last > m.accrued_to)
    and within_wall(b.organization_id)
  order by b.project_id limit p_most for no key update of b skip locked
$$;

-- Guards.
create trigger guard_act before insert or update or delete or truncate on storage_readings
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on storage_readings
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_append_only before update or delete on storage_readings
  for each row execute function guard_append_only();
create trigger guard_truncate before truncate on storage_readings for each statement execute function guard_append_only();
create trigger guard_act before insert or update or delete or truncate on storage_prices
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on storage_prices
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_append_only before update or delete on storage_prices
  for each row execute function guard_append_only();
create trigger guard_truncate before truncate on storage_prices for each statement execute function guard_append_only();

-- Walls.
alter table storage_readings enable row level security;
create policy reach on storage_readings using (within_wall(organization_id));

-- Who may do what: the api stores files and sets prices, the billing-worker charges.
grant select on storage_readings, storage_prices to gpuaas_api, gpuaas_billing;
grant insert on storage_prices to gpuaas_api;
grant select on storage_buckets to gpuaas_billing;
grant insert on usage_meters to gpuaas_billing;
grant execute on function storage_reading_take() to gpuaas_api;
grant execute on function storage_reading_text(uuid, uuid, timestamptz, bigint, numeric) to gpuaas_api, gpuaas_billing;
grant execute on function storage_buckets_hold(timestamptz, integer) to gpuaas_billing;

-- What hosts prove, how far it was charged, and what it cost.

-- An id that sorts by time.
create function id_at(p_at timestamptz) returns uuid language sql volatile
  return (select (substr(h.t, 1, 8) || '-' || substr(h.t, 9, 4) || '-7' || substr(gen_random_uuid()::text, 16))::uuid
    from (select lpad(to_hex((extract(epoch from p_at) * 1000)::bigint), 12, '0') as t) h);

-- For each lease a row of signed records, one after the other, kept as they were signed.
create table usage_evidence (
  allocation_id uuid not null,
  organization_id uuid not null,
  node_id uuid not null references nodes,
  generation bigint not null check (generation > 0),
  sequence bigint not null check (sequence > 0),
  from_at timestamptz not null,
  to_at timestamptz not null,
  -- What of it counts: after the attestation that made the allocation active and before its release was accepted.
  counts_from timestamptz not null,
  counts_to timestamptz not null,
  -- GPUs of the attestation that the host saw.
  gpus integer not null check (gpus >= 0),
  record text not null,
  digest bytea not null,
  -- The key of the node that signed it.
  result_key text not null,
  received_at timestamptz not null default act_time(),
  primary key (allocation_id, generation, sequence, from_at),
  foreign key (allocation_id, organization_id) references allocations (id, organization_id),
  check (to_at > from_at and to_at <= from_at + interval '1 day'),
  check (counts_to >= counts_from),
  check (digest = sha256(convert_to(record, 'UTF8')))
) partition by range (from_at);
create table ledger_months.usage_evidence_rest partition of usage_evidence default;
create index usage_evidence_allocation on usage_evidence (allocation_id, organization_id, from_at);
create index usage_evidence_node on usage_evidence (node_id);

create function usage_evidence_apart() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('usage ' || new.allocation_id::text, 0));
  if exists (select from public.usage_evidence e where e.allocation_id = new.allocation_id
      and e.from_at < new.to_at and e.to_at > new.from_at
      and (e.generation, e.sequence) is distinct from (new.generation, new.sequence)) then
    raise exception 'evidence of allocation % overlaps what is there', new.allocation_id using errcode = 'GP007';
  end if;
  return new;
end
$$;
create trigger apart before insert on usage_evidence for each row execute function usage_evidence_apart();

-- How far each meter of each resource has been charged, and what it is charged by. `exact` is the price of everything so far
-- in 10^-6 minor units times milliseconds per hour: a whole number, so that nothing is lost between windows.
create table usage_meters (
  resource_id uuid not null,
  meter text not null check (meter in ('gpu_time')),
  organization_id uuid not null references billing_accounts,
  project_id uuid not null,
  requested_by text not null,
  sku text not null,
  price_id uuid,
  currency text not null,
  rate_micro bigint not null check (rate_micro >= 0),
  unit text not null check (unit in ('gpu_hour', 'node_hour')),
  -- GPUs that were ordered: no more are charged.
  gpus integer not null check (gpus > 0),
  evidence_to timestamptz not null,
  accrued_to timestamptz not null,
  -- No more evidence is expected: the last window is charged without waiting for its end.
  ended boolean not null default false,
  exact numeric(38, 0) not null default 0 check (exact >= 0),
  charged_minor bigint not null default 0 check (charged_minor >= 0),
  primary key (resource_id, meter)
);
create index usage_meters_due on usage_meters (resource_id) where accrued_to < evidence_to;
create index usage_meters_organization on usage_meters (organization_id, resource_id);

-- What was used in one window, and what it cost. The amount is the rounded price of everything so far less what was charged
-- before, so any number of windows adds up to the price of the whole.
create table usage_windows (
  id uuid not null,
  organization_id uuid not null,
  project_id uuid not null,
  resource_id uuid not null,
  meter text not null,
  sku text not null,
  price_id uuid,
  requested_by text not null,
  currency text not null,
  unit text not null,
  from_at timestamptz not null,
  to_at timestamptz not null,
  -- Units times milliseconds that evidence covers.
  quantity_ms bigint not null check (quantity_ms >= 0),
  rate_micro bigint not null check (rate_micro >= 0),
  exact numeric(38, 0) not null,
  charged_minor bigint not null,
  amount_minor bigint not null check (amount_minor >= 0),
  -- SHA-256 over the digests of the evidence that it stands on.
  evidence bytea not null check (length(evidence) = 32),
  primary key (resource_id, meter, from_at),
  check (to_at > from_at),
  constraint usage_windows_rounded check (charged_minor = div(exact * 2 + 3600000000000, 7200000000000))
) partition by range (from_at);
create table ledger_months.usage_windows_rest partition of usage_windows default;
create index usage_windows_organization on usage_windows (organization_id, id);

create function usage_text(
  p_id uuid, p_organization uuid, p_project uuid, p_resource uuid, p_meter text, p_sku text, p_price uuid, p_user text,
  p_currency text, p_unit text, p_from timestamptz, p_to timestamptz, p_quantity bigint, p_rate bigint, p_exact numeric,
  p_charged bigint, p_amount bigint, p_evidence bytea
) returns text language sql stable
  return p_id::text || chr(31) || p_organization::text || chr(31) || p_project::text || chr(31) || p_resource::text
    || chr(31) || p_meter || chr(31) || p_sku || chr(31) || coalesce(p_price::text, '') || chr(31) || p_user || chr(31)
    || p_currency || chr(31) || p_unit || chr(31) || (extract(epoch from p_from) * 1000000)::bigint::text || chr(31)
    || (extract(epoch from p_to) * 1000000)::bigint::text || chr(31) || p_quantity::text || chr(31) || p_rate::text
    || chr(31) || p_exact::text || chr(31) || p_charged::text || chr(31) || p_amount::text || chr(31)
    || encode(p_evidence, 'hex');

-- The windows of a resource on one day (UTC), added up: a line of the ledger as people read it.
create table usage_days (
  id uuid not null,
  organization_id uuid not null references billing_accounts,
  day date not null,
  resource_id uuid not null,
  meter text not null,
  project_id uuid not null,
  sku text not null,
  currency text not null,
  requested_by text not null,
  quantity_ms bigint not null,
  amount_minor bigint not null,
  windows integer not null,
  primary key (organization_id, day, id),
  unique (resource_id, meter, day)
);
create index usage_days_project on usage_days (organization_id, project_id, day, id);

-- Guards.
create trigger guard_act before insert or update or delete or truncate on usage_evidence
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on usage_evidence
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_append_only before update or delete on usage_evidence
  for each row execute function guard_append_only();
create trigger guard_truncate before truncate on usage_evidence for each statement execute function guard_append_only();
create trigger guard_act before insert or update or delete or truncate on usage_windows
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on usage_windows
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_append_only before update or delete on usage_windows
  for each row execute function guard_append_only();
create trigger guard_truncate before truncate on usage_windows for each statement execute function guard_append_only();
create trigger guard_act before insert or update or delete or truncate on usage_meters
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on usage_meters
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_act before insert or update or delete or truncate on usage_days
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on usage_days
  deferrable initially deferred for each row execute function guard_audit();

-- Walls.
alter table usage_evidence enable row level security;
create policy reach on usage_evidence using (within_wall(organization_id));
alter table usage_meters enable row level security;
create policy reach on usage_meters using (within_wall(organization_id));
alter table usage_windows enable row level security;
create policy reach on usage_windows using (within_wall(organization_id));
alter table usage_days enable row level security;
create policy reach on usage_days using (within_wall(organization_id));

-- Who may do what: the api takes evidence, the billing-worker charges it.
grant select on usage_evidence, usage_meters, usage_windows, usage_days to gpuaas_api, gpuaas_billing;
grant insert on usage_evidence to gpuaas_api;
grant insert, update on usage_meters to gpuaas_api;
grant update on usage_meters to gpuaas_billing;
grant insert on usage_windows to gpuaas_billing;
grant insert, update on usage_days to gpuaas_billing;
grant execute on function id_at(timestamptz),
  usage_text(uuid, uuid, uuid, uuid, text, text, uuid, text, text, text, timestamptz, timestamptz, bigint, bigint, numeric,
    bigint, bigint, bytea) to gpuaas_api, gpuaas_billing;
grant execute on function usage_evidence_apart() to gpuaas_api;

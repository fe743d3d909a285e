-- How far each balance reaches, and what was said and done about it.

create table account_ladders (
  organization_id uuid primary key references billing_accounts,
  state text not null default 'healthy',
  version bigint not null default 1,
  -- How many warnings about the runway were sent, and whether the one about the amount was, since it was last above.
  warned_steps smallint not null default 0 check (warned_steps between 0 and 3),
  warned_balance boolean not null default false,
  -- When everything is released, if nothing is paid until then.
  releases_at timestamptz,
  -- When the release of everything was last asked for.
  release_requested_at timestamptz,
  changed_at timestamptz not null default act_time(),
  constraint account_ladders_release check (release_requested_at is null or state = 'depleted'),
  constraint account_ladders_releases_at check (releases_at is null or state in ('auto_release_pending', 'depleted'))
);

insert into machine_edges (machine, from_state, to_state) values
  ('billing_account', '', 'healthy'),
  ('billing_account', 'healthy', 'low_balance'),
  ('billing_account', 'healthy', 'auto_release_pending'),
  ('billing_account', 'healthy', 'depleted'),
  ('billing_account', 'low_balance', 'healthy'),
  ('billing_account', 'low_balance', 'auto_release_pending'),
  ('billing_account', 'low_balance', 'depleted'),
  ('billing_account', 'auto_release_pending', 'healthy'),
  ('billing_account', 'auto_release_pending', 'low_balance'),
  ('billing_account', 'auto_release_pending', 'depleted'),
  ('billing_account', 'depleted', 'healthy'),
  ('billing_account', 'depleted', 'low_balance'),
  ('billing_account', 'depleted', 'auto_release_pending');

insert into account_ladders (organization_id) select organization_id from billing_accounts;

create or replace function billing_account_open() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  insert into billing_accounts (organization_id, currency) values (new.id, new.currency);
  insert into account_ladders (organization_id) values (new.id);
  return null;
end
$$;

-- Holds the row of an account until the transaction ends, as every entry of its ledger does: whoever decides by the balance
-- (a launch, a release) and whoever changes it (a payment, a charge) come one after the other. No role may change the row
-- itself, which a lock would otherwise ask for.
create function billing_account_lock(p_organization uuid) returns void
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform 1 from billing_accounts b where b.organization_id = p_organization and within_wall(b.organization_id)
    for no key update;
end
$$;

-- Guards.
create trigger guard_act before insert or update or delete or truncate on account_ladders
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on account_ladders
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_machine before insert or update on account_ladders
  for each row execute function guard_machine('billing_account');

-- Walls.
alter table account_ladders enable row level security;
create policy reach on account_ladders using (within_wall(organization_id));

-- Who may do what: the billing-worker moves accounts and reads what runs; the api shows both.
grant select on account_ladders to gpuaas_api;
grant select, update on account_ladders to gpuaas_billing;
grant select (id, organization_id, project_id, state, version, sku, gpu_count, unit_price_minor, node_id) on allocations
  to gpuaas_billing;
grant select (slug, billing_unit) on skus to gpuaas_billing;
grant select (id, simulated) on nodes to gpuaas_billing;
grant execute on function billing_account_lock(uuid) to gpuaas_api, gpuaas_billing;

-- Events that each family but the api may leave: those of the ladder are the billing-worker's.
create or replace function event_of_family(p_family text, p_subject text) returns boolean language sql immutable
  return case p_family
    when 'gpuaas_worker' then p_subject in (
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
      'tenancy.project.removal_failed',
      'tenancy.project.removed'
    )
    when 'gpuaas_billing' then p_subject in (
      'billing.auto_release_pending',
      'billing.balance_depleted',
      'billing.balance_recovered',
      'billing.low_balance_warning',
      'payments.balance_credited',
      'payments.reconcile_failed',
      'provisioning.force_release_requested'
    )
    else false
  end;

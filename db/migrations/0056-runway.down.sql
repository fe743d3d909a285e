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
      'provisioning.force_release_requested',
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
    when 'gpuaas_billing' then p_subject in ('payments.balance_credited', 'payments.reconcile_failed')
    else false
  end;

create or replace function billing_account_open() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  insert into billing_accounts (organization_id, currency) values (new.id, new.currency);
  return null;
end
$$;
drop function billing_account_lock(uuid);
revoke select (id, simulated) on nodes from gpuaas_billing;
revoke select (slug, billing_unit) on skus from gpuaas_billing;
revoke select (id, organization_id, project_id, state, version, sku, gpu_count, unit_price_minor, node_id) on allocations
  from gpuaas_billing;
drop table account_ladders;
delete from machine_edges where machine = 'billing_account';

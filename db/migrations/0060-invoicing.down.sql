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
delete from machine_edges where machine = 'invoice';
drop index ledger_entries_paid;
drop policy charges on ledger_entries;
create policy charges on ledger_entries for insert to gpuaas_billing
  with check (kind in ('usage', 'top_up', 'refund', 'hold', 'hold_release')
    or (kind = 'correction' and accounts = '{customer,payments}'));
alter table ledger_entries drop constraint ledger_entries_kind, add constraint ledger_entries_kind check ((
    case kind
      when 'usage' then accounts = '{customer,revenue}' and amounts[1] < 0
      when 'grant' then accounts = '{customer,grants}' and amounts[1] > 0
      when 'top_up' then accounts in ('{customer,payments}', '{customer,tax,payments}') and amounts[1] > 0
      when 'refund' then accounts in ('{customer,payments}', '{customer,tax,payments}') and amounts[1] < 0
      when 'hold' then accounts = '{customer,held}' and amounts[1] < 0
      when 'hold_release' then accounts = '{customer,held}' and amounts[1] > 0
      when 'tax' then accounts = '{customer,tax}'
      when 'correction' then accounts in ('{customer,revenue}', '{customer,grants}', '{customer,payments}', '{customer,tax}')
      else false end
  ) is true);
alter table payment_refunds drop column tax_minor;
alter table payment_sessions drop column tax_minor, drop column tax_treatment;
drop table invoices;
drop table billing_documents;
drop table billing_series;
drop table billing_details;
drop table billing_seller;
drop function id_floor(timestamptz);

-- As before.
create or replace function event_of_family(p_family text, p_subject text) returns boolean language sql immutable
  return case p_family
    when 'gpuaas_worker' then p_subject in (
      'apps.instance.failed',
      'apps.instance.launching',
      'apps.instance.released',
      'apps.instance.rolled_back',
      'apps.instance.running',
      'apps.instance.stopped',
      'apps.instance.upgraded',
      'apps.instance.upgrading',
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
drop table app_verifications;
drop table app_signing_keys;
drop table app_sources;

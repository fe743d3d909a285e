-- An instance of an app moves to another version and back.

alter table app_instances
  add column previous_version_id uuid references app_versions,
  add column previous_version text,
  add column previous_parameters jsonb check (jsonb_typeof(previous_parameters) = 'object'),
  -- upgrading: the old container ends first; trying: the new version has been launched and has not been ready yet; returning: as upgrading, to the
  -- version of before, and nothing comes after it.
  add column version_change text check (version_change in ('upgrading', 'trying', 'returning')),
  add constraint app_instances_previous check ((previous_version_id is null) = (previous_version is null)
    and (previous_version_id is null) = (previous_parameters is null)),
  add constraint app_instances_return check (version_change is distinct from 'trying' or previous_version_id is not null);
create index app_instances_previous_version on app_instances (previous_version_id);

-- The name of an endpoint stays when a version has none of it, for the version that has it again.
alter table app_routes add column retired_at timestamptz;

grant update (app_version_id, app_version, parameters, previous_version_id, previous_version, previous_parameters, version_change)
  on app_instances to gpuaas_api, gpuaas_worker;
grant update (target_port, route_family, client_auth_mode, retired_at) on app_routes to gpuaas_api, gpuaas_worker;
grant insert on app_routes to gpuaas_worker;

-- As before, with what the worker says about versions.
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

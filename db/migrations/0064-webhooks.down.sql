drop table webhook_deliveries, webhook_secrets, webhooks;
revoke all on all tables in schema public from gpuaas_webhooks;
revoke all on all functions in schema public from gpuaas_webhooks;
revoke usage on schema public from gpuaas_webhooks;
create or replace function act_refusal(
  p_actor text, p_actor_kind text, p_actor_role text, p_subjects text[], p_envelopes text[], p_key text
) returns text language sql stable
  return case
    when act_family() not in ('gpuaas_worker', 'gpuaas_relay', 'gpuaas_mailer', 'gpuaas_billing', 'gpuaas_notifier') then null
    when p_actor_kind <> 'system' or p_actor_role <> 'system' then 'acts in its own name, not in that of a caller'
    when act_family() = 'gpuaas_relay' and p_actor <> 'outbox-relay'
      or act_family() = 'gpuaas_mailer' and p_actor <> 'email-worker'
      or act_family() = 'gpuaas_billing' and p_actor <> 'billing-worker'
      or act_family() = 'gpuaas_notifier' and p_actor <> 'notification-relay'
      or act_family() = 'gpuaas_worker' and p_actor in ('outbox-relay', 'email-worker', 'billing-worker', 'notification-relay',
        'api', 'identity', 'service-accounts', 'bootstrap', 'reset-factors') then 'acts under its own name, not as ' || p_actor
    when p_key is not null then 'stores no answers'
    when exists (select from unnest(p_subjects) s where not event_of_family(act_family(), s))
      then 'leaves only events of its own'
    when exists (select from unnest(p_envelopes) e where strpos(e, '"actor_id"') > 0) then 'names no person in an event'
  end;
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
      'billing.budget_threshold_reached',
      'billing.document_issued',
      'billing.invoice_past_due',
      'billing.low_balance_warning',
      'payments.balance_credited',
      'payments.reconcile_failed',
      'provisioning.force_release_requested'
    )
    else false
  end;

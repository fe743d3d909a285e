-- Before a spent balance releases machines they are stopped for a while, with their disks: a top-up starts them again.

-- Where the machine of an active allocation is on its way to a stop and back; null while it runs. Its lease, slots and disk stay.
alter table allocations add column stop_phase text check (stop_phase in ('stopping', 'stopped', 'starting')),
  add column stop_since timestamptz,
  add constraint allocations_stop check ((stop_phase is null) = (stop_since is null));
create index allocations_stop_phase on allocations (id) where stop_phase is not null;

-- When machines are stopped, if nothing is paid until then, and since when they are to be.
alter table account_ladders add column stops_at timestamptz, add column stopped_at timestamptz;
alter table account_ladders disable trigger user;
update account_ladders set stops_at = releases_at where releases_at is not null;
alter table account_ladders enable trigger user;
alter table account_ladders drop constraint account_ladders_release;
alter table account_ladders
  add constraint account_ladders_release check (release_requested_at is null or state in ('auto_release_pending', 'depleted')),
  add constraint account_ladders_stops_at check (stops_at is null or state in ('auto_release_pending', 'depleted')),
  add constraint account_ladders_stopped_at check (stopped_at is null or state in ('auto_release_pending', 'depleted'));
create index account_ladders_stopped on account_ladders (organization_id) where stopped_at is not null;

grant select on account_ladders to gpuaas_worker;
grant select (stop_phase) on allocations to gpuaas_billing;

-- Events that each family but the api may leave.
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

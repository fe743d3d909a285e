-- Verification of apps: where images may come from, the keys that publishers have pinned, and how the verification of each version goes.

-- The registries, or parts of them, that verification asks. It calls no address that a tenant has chosen.
create table app_sources (
  id uuid primary key,
  registry text not null check (length(registry) <= 260 and registry ~ '^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?$'),
  repository text not null check (length(repository) <= 255),
  created_at timestamptz not null default act_time()
);
create unique index app_sources_once on app_sources (registry, repository);

create table app_signing_keys (
  id uuid primary key,
  organization_id uuid not null,
  project_id uuid not null,
  name text not null check (length(name) between 1 and 200),
  kind text not null check (kind in ('ecdsa-p256', 'ed25519')),
  public_key text not null check (length(public_key) between 1 and 2000),
  fingerprint text not null check (fingerprint ~ '^sha256:[0-9a-f]{64}$'),
  created_at timestamptz not null default act_time(),
  foreign key (project_id, organization_id) references projects (id, organization_id)
);
create unique index app_signing_keys_once on app_signing_keys (project_id, fingerprint);
create index app_signing_keys_page on app_signing_keys (organization_id, project_id, id);
create index app_signing_keys_project on app_signing_keys (project_id, organization_id);

-- Beside the trust of a version, because the api asks for a verification and may not write its answer.
create table app_verifications (
  id uuid primary key,
  organization_id uuid not null,
  asked_at timestamptz not null default act_time(),
  -- When it is tried next; null: not until it is asked for.
  due_at timestamptz default act_time(),
  tried_at timestamptz,
  tries integer not null default 0 check (tries >= 0),
  -- Why the last try gave no answer.
  trouble text check (length(trouble) between 1 and 500),
  foreign key (organization_id, id) references app_versions (organization_id, id)
);
create index app_verifications_version on app_verifications (organization_id, id);
create index app_verifications_due on app_verifications (due_at) where due_at is not null;
insert into app_verifications (id, organization_id, asked_at, due_at)
  select v.id, v.organization_id, v.created_at, case when t.state = 'unverified' then v.created_at end
  from app_versions v join app_version_trust t on t.id = v.id;

create trigger guard_act before insert or update or delete or truncate on app_sources
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on app_sources
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_act before insert or update or delete or truncate on app_signing_keys
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on app_signing_keys
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_act before insert or update or delete or truncate on app_verifications
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on app_verifications
  deferrable initially deferred for each row execute function guard_audit();

alter table app_sources enable row level security;
create policy reach on app_sources using (current_setting('gpuaas.reach', true) = 'platform');
alter table app_signing_keys enable row level security;
create policy reach on app_signing_keys using (within_wall(organization_id));
alter table app_verifications enable row level security;
create policy reach on app_verifications using (within_wall(organization_id));

-- The api registers and asks; the worker looks, and notes what it found.
grant select, insert, delete on app_sources, app_signing_keys to gpuaas_api;
grant select on app_sources, app_signing_keys to gpuaas_worker;
grant select, insert (id, organization_id), update (asked_at, due_at, tries) on app_verifications to gpuaas_api;
grant select, update (due_at, tried_at, tries, trouble) on app_verifications to gpuaas_worker;

-- As before, with what the worker says about versions of apps.
create or replace function event_of_family(p_family text, p_subject text) returns boolean language sql immutable
  return case p_family
    when 'gpuaas_worker' then p_subject in (
      'apps.artifact.failed_verification',
      'apps.artifact.verified',
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

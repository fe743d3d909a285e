-- Webhooks: addresses of an organization that events are posted to, the secrets that sign them, and what became of each post.

do $$
begin
  if not exists (select from pg_roles where rolname = 'gpuaas_webhooks') then
    create role gpuaas_webhooks nologin nosuperuser nocreatedb nocreaterole nobypassrls;
  end if;
exception
  when duplicate_object or unique_violation then null;
end
$$;
grant usage on schema public to gpuaas_webhooks;

create table webhooks (
  id uuid primary key,
  organization_id uuid not null references organizations,
  url text not null check (length(url) between 10 and 2000),
  description text not null check (length(description) <= 200),
  -- All types when it is empty.
  event_types text[] not null,
  disabled_at timestamptz,
  disabled_reason text check (length(disabled_reason) <= 500),
  -- Since when its receiver has taken nothing.
  failing_since timestamptz,
  created_by text not null,
  created_at timestamptz not null default act_time(),
  unique (organization_id, id),
  constraint webhooks_disabled check ((disabled_at is null) = (disabled_reason is null))
);

-- The newest secret signs, and a former one beside it until its time is over.
create table webhook_secrets (
  id uuid primary key,
  organization_id uuid not null,
  webhook_id uuid not null,
  sealed bytea not null,
  created_at timestamptz not null default act_time(),
  ends_at timestamptz,
  foreign key (organization_id, webhook_id) references webhooks (organization_id, id) on delete cascade
);
create index webhook_secrets_webhook on webhook_secrets (organization_id, webhook_id);
create unique index webhook_secrets_current on webhook_secrets (webhook_id) where ends_at is null;

create table webhook_deliveries (
  id uuid primary key,
  organization_id uuid not null,
  webhook_id uuid not null,
  event_id uuid not null,
  event_type text not null,
  body text not null,
  outcome text not null default 'waiting' check (outcome in ('waiting', 'delivered', 'failed')),
  attempts integer not null default 0,
  due_at timestamptz not null,
  response_status integer,
  reason text check (length(reason) <= 500),
  tries jsonb not null default '[]'::jsonb,
  created_at timestamptz not null default act_time(),
  settled_at timestamptz,
  foreign key (organization_id, webhook_id) references webhooks (organization_id, id) on delete cascade,
  constraint webhook_deliveries_once unique (webhook_id, event_id),
  constraint webhook_deliveries_settled check ((outcome = 'waiting') = (settled_at is null))
);
create index webhook_deliveries_page on webhook_deliveries (organization_id, webhook_id, event_id);
create index webhook_deliveries_due on webhook_deliveries (due_at) where outcome = 'waiting';
create index webhook_deliveries_age on webhook_deliveries (created_at);

-- Guards.
create trigger guard_act before insert or update or delete or truncate on webhooks
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on webhooks
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_act before insert or update or delete or truncate on webhook_secrets
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on webhook_secrets
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_act before insert or update or delete or truncate on webhook_deliveries
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on webhook_deliveries
  deferrable initially deferred for each row execute function guard_audit();

-- Walls.
alter table webhooks enable row level security;
create policy reach on webhooks using (within_wall(organization_id));
alter table webhook_secrets enable row level security;
create policy reach on webhook_secrets using (within_wall(organization_id));
alter table webhook_deliveries enable row level security;
create policy reach on webhook_deliveries using (within_wall(organization_id));

-- Who may do what: the api makes and shows webhooks, the worker posts.
grant select, insert, update, delete on webhooks to gpuaas_api;
grant select, insert, update on webhook_secrets to gpuaas_api;
grant select, update on webhook_deliveries to gpuaas_api;
grant select, update (disabled_at, disabled_reason, failing_since) on webhooks to gpuaas_webhooks;
grant select on webhook_secrets to gpuaas_webhooks;
grant select, insert, update, delete on webhook_deliveries to gpuaas_webhooks;
grant select on machine_edges, policy_values, schema_migrations to gpuaas_webhooks;
grant select (id, plan) on organizations to gpuaas_webhooks;
-- The wall of organizations looks memberships up in the name of the role that reads.
grant select (organization_id, user_id, deleted_at) on tenant_memberships to gpuaas_webhooks;
grant select, insert on consumed_events, dead_letters to gpuaas_webhooks;
grant execute on function act_begin(text, text, text, text, text, text, text, text, text), act_id(), act_time(), act_family(),
  act_look(text, text, text, text), act_open(text, text, text, text, text, text, text, text),
  act_view(text, text, text, text, text), act_refusal(text, text, text, text[], text[], text), act_refuse(text),
  event_of_family(text, text), guard_act(), guard_append_only(), guard_audit(), guard_machine(), is_me(uuid), mine(uuid),
  within_self(uuid), within_wall(uuid),
  act_commit(text, text, text, text, text, text, text, text, text, text, text, jsonb, text, text, text[], text[], text[], text[],
    text[], text, text, text, text, integer, text, text, text, jsonb) to gpuaas_webhooks;

-- As before, with the worker that posts webhooks.
create or replace function act_refusal(
  p_actor text, p_actor_kind text, p_actor_role text, p_subjects text[], p_envelopes text[], p_key text
) returns text language sql stable
  return case
    when act_family() not in ('gpuaas_worker', 'gpuaas_relay', 'gpuaas_mailer', 'gpuaas_billing', 'gpuaas_notifier',
      'gpuaas_webhooks') then null
    when p_actor_kind <> 'system' or p_actor_role <> 'system' then 'acts in its own name, not in that of a caller'
    when act_family() = 'gpuaas_relay' and p_actor <> 'outbox-relay'
      or act_family() = 'gpuaas_mailer' and p_actor <> 'email-worker'
      or act_family() = 'gpuaas_billing' and p_actor <> 'billing-worker'
      or act_family() = 'gpuaas_notifier' and p_actor <> 'notification-relay'
      or act_family() = 'gpuaas_webhooks' and p_actor <> 'webhook-worker'
      or act_family() = 'gpuaas_worker' and p_actor in ('outbox-relay', 'email-worker', 'billing-worker', 'notification-relay',
        'webhook-worker', 'api', 'identity', 'service-accounts', 'bootstrap', 'reset-factors') then 'acts under its own name, not as ' || p_actor
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
    when 'gpuaas_webhooks' then p_subject in ('notifications.webhook.disabled')
    else false
  end;

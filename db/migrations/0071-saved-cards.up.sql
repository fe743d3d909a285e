-- Automatic top-ups with saved cards, corrections that need a second person, and negotiated prices.

-- Saved cards stay with the provider. Here is only when and how much an organization wants to pay automatically.
create table auto_top_ups (
  organization_id uuid primary key,
  currency text not null,
  enabled boolean not null,
  threshold_minor bigint not null check (threshold_minor >= 0),
  amount_minor bigint not null check (amount_minor > 0),
  monthly_limit_minor bigint not null check (monthly_limit_minor >= amount_minor),
  -- Counts how often the balance fell to the threshold. Each crossing is paid for once.
  crossing bigint not null default 1,
  failures integer not null default 0 check (failures >= 0),
  last_failure text check (length(last_failure) between 1 and 500),
  failed_as text check (failed_as in ('declined', 'not_confirmed', 'no_card')),
  -- Null after a failure until the worker has decided what follows from it.
  next_attempt_at timestamptz,
  turned_off text check (turned_off in ('failures')),
  set_by text not null,
  -- Where a browser goes after a payment was confirmed.
  back_url text not null,
  version bigint not null default 1,
  updated_at timestamptz not null default act_time(),
  foreign key (organization_id, currency) references billing_accounts (organization_id, currency),
  constraint auto_top_ups_off check (turned_off is null or not enabled)
);
create index auto_top_ups_account on auto_top_ups (organization_id, currency);

-- An automatic payment belongs to a crossing, and is one of its attempts. One is under way at a time.
alter table payment_sessions add column crossing bigint,
  add column attempt integer,
  add column method_id text,
  -- What of it was given back as credit, before tax.
  add column credited_back_minor bigint not null default 0,
  add constraint payment_sessions_attempt unique (organization_id, crossing, attempt),
  add constraint payment_sessions_automatic check ((crossing is null) = (attempt is null) and (crossing is null) = (method_id is null)),
  add constraint payment_sessions_credited_back
    check (credited_back_minor >= 0 and credited_back_minor <= credited_minor);
create unique index payment_sessions_under_way on payment_sessions (organization_id) where crossing is not null and state = 'open';

alter table payment_refunds add column paid_to text not null default 'payer' check (paid_to in ('payer', 'credit')),
  add constraint payment_refunds_credit check (paid_to = 'payer' or (sent_at is null and refusal is null));
drop index payment_refunds_waiting;
create index payment_refunds_waiting on payment_refunds (id) where sent_at is null and refusal is null and paid_to = 'payer';

-- Corrections that finance asks for. A large one is entered by another person than the one who asked.
create table billing_adjustments (
  id uuid primary key,
  organization_id uuid not null,
  currency text not null,
  amount_minor bigint not null check (amount_minor <> 0),
  -- The line as people read it, and the entry of the ledger that stands for it.
  line_id uuid not null,
  line_kind text not null check (line_kind in ('usage', 'grant')),
  corrects uuid not null,
  reason text not null check (length(reason) between 1 and 500),
  needs_approval boolean not null,
  requested_by text not null,
  created_at timestamptz not null default act_time(),
  expires_at timestamptz not null,
  decision text check (decision in ('entered', 'rejected')),
  decided_by text,
  decided_at timestamptz,
  note text check (length(note) between 1 and 500),
  entry_id uuid unique,
  foreign key (organization_id, currency) references billing_accounts (organization_id, currency),
  constraint billing_adjustments_decided check ((decision is null) = (decided_by is null) and (decision is null) = (decided_at is null)),
  constraint billing_adjustments_entered check ((decision is not distinct from 'entered') = (entry_id is not null)),
  constraint billing_adjustments_two_people
    check (not needs_approval or decision is distinct from 'entered' or decided_by <> requested_by),
  -- Usage is charged by evidence alone, so it is only ever given back; a grant is only ever taken back.
  constraint billing_adjustments_direction check ((line_kind = 'usage') = (amount_minor > 0)),
  constraint billing_adjustments_in_time check (decision is distinct from 'entered' or decided_at <= expires_at)
);
create index billing_adjustments_account on billing_adjustments (organization_id, currency);
create index billing_adjustments_line on billing_adjustments (line_id);
create index billing_adjustments_page on billing_adjustments (organization_id, id);

-- Prices of one organization. The one for the region comes before the one for all, then the one that began last.
create table negotiated_prices (
  id uuid primary key,
  organization_id uuid not null,
  sku text not null references skus (slug),
  region text references regions (slug),
  currency text not null,
  unit_price_minor bigint not null check (unit_price_minor >= 0),
  effective_from timestamptz not null,
  effective_to timestamptz,
  reason text not null check (length(reason) between 1 and 500),
  created_by text not null,
  created_at timestamptz not null default act_time(),
  unique nulls not distinct (organization_id, sku, region, effective_from),
  foreign key (organization_id, currency) references billing_accounts (organization_id, currency),
  constraint negotiated_prices_period check (effective_to >= effective_from)
);
create index negotiated_prices_account on negotiated_prices (organization_id, currency);
create index negotiated_prices_page on negotiated_prices (organization_id, id);
create index negotiated_prices_sku on negotiated_prices (sku);
create index negotiated_prices_region on negotiated_prices (region);
-- The price of an allocation is a version of the list, or one of these. Neither table lets a row go.
alter table allocations drop constraint allocations_price_id_fkey;

-- Guards.
create trigger guard_act before insert or update or delete or truncate on auto_top_ups
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on auto_top_ups
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_act before insert or update or delete or truncate on billing_adjustments
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on billing_adjustments
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_act before insert or update or delete or truncate on negotiated_prices
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on negotiated_prices
  deferrable initially deferred for each row execute function guard_audit();

-- Walls.
alter table auto_top_ups enable row level security;
create policy reach on auto_top_ups using (within_wall(organization_id));
alter table billing_adjustments enable row level security;
create policy reach on billing_adjustments using (within_wall(organization_id));
alter table negotiated_prices enable row level security;
create policy reach on negotiated_prices using (within_wall(organization_id));

-- Who may do what: people decide through the api, the billing-worker makes automatic payments.
grant select, insert, update on auto_top_ups to gpuaas_api;
grant select, update on auto_top_ups to gpuaas_billing;
grant insert on payment_sessions to gpuaas_billing;
grant select on payment_customers to gpuaas_billing;
grant select, insert, update on billing_adjustments to gpuaas_api;
grant select, insert, update on negotiated_prices to gpuaas_api;

-- Events that each family but the api may leave, with those of payments.
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

-- Quotes that lock a price, what launches set aside, caps on spending, and budgets.

alter table allocations add column max_spend_minor bigint
  constraint allocations_max_spend check (max_spend_minor is null or (max_spend_minor > 0 and max_duration_seconds is not null));

create table quotes (
  id uuid primary key,
  organization_id uuid not null references billing_accounts,
  project_id uuid not null,
  requested_by text not null,
  sku text not null,
  gpu_count integer not null check (gpu_count > 0),
  region text not null,
  price_id uuid,
  unit_price_minor bigint not null check (unit_price_minor >= 0),
  currency text not null,
  created_at timestamptz not null default act_time(),
  expires_at timestamptz not null,
  -- The allocation that was launched with it.
  used_by uuid unique,
  used_at timestamptz,
  constraint quotes_used check ((used_by is null) = (used_at is null)),
  constraint quotes_in_time check (used_at <= expires_at)
);
create index quotes_organization on quotes (organization_id, id);

-- What is set aside for an allocation, from its launch until as much was charged for it, or until it has ended.
create table allocation_holds (
  allocation_id uuid primary key,
  organization_id uuid not null references billing_accounts,
  project_id uuid not null,
  requested_by text not null,
  entry_id uuid not null unique,
  amount_minor bigint not null check (amount_minor > 0),
  released_minor bigint not null default 0,
  created_at timestamptz not null default act_time(),
  foreign key (allocation_id, organization_id) references allocations (id, organization_id),
  constraint allocation_holds_released check (released_minor between 0 and amount_minor)
);
create index allocation_holds_allocation on allocation_holds (allocation_id, organization_id);
create index allocation_holds_open on allocation_holds (organization_id) where released_minor < amount_minor;
create index allocation_holds_organization on allocation_holds (organization_id);

create table budgets (
  id uuid primary key,
  organization_id uuid not null references billing_accounts,
  name text not null check (length(name) between 1 and 100),
  scope text not null check (scope in ('organization', 'project', 'user', 'tag')),
  -- A project, a person, or a tag as key=value.
  subject text not null default '',
  soft_minor bigint check (soft_minor > 0),
  hard_minor bigint check (hard_minor > 0),
  -- The month in which each threshold was last reached.
  soft_reached_on date,
  hard_reached_on date,
  version bigint not null default 1,
  created_by text not null,
  created_at timestamptz not null default act_time(),
  updated_at timestamptz not null default act_time(),
  constraint budgets_subject unique (organization_id, scope, subject),
  constraint budgets_of_organization check ((scope = 'organization') = (subject = '')),
  constraint budgets_threshold check (soft_minor is not null or hard_minor is not null),
  constraint budgets_order check (soft_minor <= hard_minor)
);

-- Guards.
create trigger guard_act before insert or update or delete or truncate on quotes
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on quotes
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_act before insert or update or delete or truncate on allocation_holds
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on allocation_holds
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_act before insert or update or delete or truncate on budgets
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on budgets
  deferrable initially deferred for each row execute function guard_audit();

-- Walls.
alter table quotes enable row level security;
create policy reach on quotes using (within_wall(organization_id));
alter table allocation_holds enable row level security;
create policy reach on allocation_holds using (within_wall(organization_id));
alter table budgets enable row level security;
create policy reach on budgets using (within_wall(organization_id));

-- Who may do what: launches use quotes and place holds through the api; the billing-worker releases holds and watches budgets.
grant select, insert, update on quotes to gpuaas_api;
grant select, insert on allocation_holds to gpuaas_api;
grant select, update on allocation_holds to gpuaas_billing;
grant select, insert, update, delete on budgets to gpuaas_api;
grant select, update on budgets to gpuaas_billing;
grant select (ended_at, tags, requested_by, max_spend_minor, expires_at, currency) on allocations to gpuaas_billing;

-- Events that each family but the api may leave, with the one about budgets.
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

-- Payments: what was begun with a provider, what the provider said, and what went back.

create table payment_sessions (
  id uuid primary key,
  organization_id uuid not null,
  currency text not null,
  amount_minor bigint not null check (amount_minor > 0),
  state text not null default 'open',
  version bigint not null default 1,
  provider text not null check (provider in ('simulated', 'stripe')),
  -- What the provider calls the checkout, and the payment once there is one.
  checkout_id text not null,
  payment_id text,
  url text not null,
  -- What is in the ledger: what was paid, what of it went back, and what of it a dispute keeps aside.
  credited_minor bigint not null default 0,
  refunded_minor bigint not null default 0,
  disputed_minor bigint not null default 0,
  credit_entry_id uuid,
  requested_by text not null,
  -- Why it does not fit what the provider says.
  problem text,
  created_at timestamptz not null default act_time(),
  expires_at timestamptz not null,
  settled_at timestamptz,
  checked_at timestamptz,
  -- When it is compared with the provider again; never when null.
  check_at timestamptz,
  unique (provider, checkout_id),
  unique (provider, payment_id),
  foreign key (organization_id, currency) references billing_accounts (organization_id, currency),
  constraint payment_sessions_back
    check (refunded_minor >= 0 and disputed_minor >= 0 and refunded_minor + disputed_minor <= credited_minor),
  constraint payment_sessions_credited check (credited_minor = 0 or credit_entry_id is not null),
  constraint payment_sessions_problem check ((state = 'failed_reconcile') = (problem is not null))
);
create index payment_sessions_account on payment_sessions (organization_id, currency);
create index payment_sessions_page on payment_sessions (organization_id, id);
create index payment_sessions_state on payment_sessions (state, id);
create index payment_sessions_due on payment_sessions (check_at) where check_at is not null;
create unique index payment_sessions_credit_entry on payment_sessions (credit_entry_id);

-- Each event of a provider is taken once.
create table payment_events (
  provider text not null,
  event_id text not null,
  type text not null,
  occurred_at timestamptz not null,
  received_at timestamptz not null default act_time(),
  organization_id uuid,
  session_id uuid references payment_sessions,
  payment_id text,
  outcome text not null check (outcome in ('applied', 'nothing_new', 'unmatched', 'ignored')),
  primary key (provider, event_id)
);
create index payment_events_session on payment_events (session_id);
-- News of a payment that came before the news that it was paid.
create index payment_events_early on payment_events (provider, payment_id) where outcome = 'unmatched';

-- What is to go back. The ledger has it from the moment it was asked for; the worker hands it to the provider.
create table payment_refunds (
  id uuid primary key,
  session_id uuid not null references payment_sessions,
  organization_id uuid not null references organizations,
  currency text not null,
  amount_minor bigint not null check (amount_minor > 0),
  reason text not null check (length(reason) between 1 and 500),
  requested_by text not null,
  entry_id uuid not null unique,
  created_at timestamptz not null default act_time(),
  provider_refund_id text,
  sent_at timestamptz,
  refusal text,
  constraint payment_refunds_sent check ((sent_at is null) = (provider_refund_id is null)),
  constraint payment_refunds_end check (sent_at is null or refusal is null)
);
create index payment_refunds_session on payment_refunds (session_id);
create index payment_refunds_organization on payment_refunds (organization_id, id);
create index payment_refunds_waiting on payment_refunds (id) where sent_at is null and refusal is null;

-- Whom the provider knows an organization as.
create table payment_customers (
  organization_id uuid not null references organizations,
  provider text not null,
  customer_id text not null,
  created_at timestamptz not null default act_time(),
  primary key (organization_id, provider),
  unique (provider, customer_id)
);

insert into machine_edges (machine, from_state, to_state) values
  ('payment', '', 'open'),
  ('payment', 'open', 'paid'),
  ('payment', 'open', 'expired'),
  ('payment', 'open', 'failed_reconcile'),
  ('payment', 'expired', 'paid'),
  ('payment', 'expired', 'failed_reconcile'),
  ('payment', 'paid', 'charged_back'),
  ('payment', 'paid', 'disputed'),
  ('payment', 'paid', 'expired'),
  ('payment', 'paid', 'failed_reconcile'),
  ('payment', 'disputed', 'paid'),
  ('payment', 'disputed', 'charged_back'),
  ('payment', 'failed_reconcile', 'paid'),
  ('payment', 'failed_reconcile', 'expired'),
  ('payment', 'failed_reconcile', 'open');

-- Guards.
create trigger guard_act before insert or update or delete or truncate on payment_sessions
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on payment_sessions
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_machine before insert or update on payment_sessions
  for each row execute function guard_machine('payment');
create trigger guard_act before insert or update or delete or truncate on payment_events
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on payment_events
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_append_only before update or delete on payment_events
  for each row execute function guard_append_only();
create trigger guard_truncate before truncate on payment_events for each statement execute function guard_append_only();
create trigger guard_act before insert or update or delete or truncate on payment_refunds
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on payment_refunds
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_act before insert or update or delete or truncate on payment_customers
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on payment_customers
  deferrable initially deferred for each row execute function guard_audit();

-- Walls.
alter table payment_sessions enable row level security;
create policy reach on payment_sessions using (within_wall(organization_id));
alter table payment_events enable row level security;
create policy reach on payment_events using (within_wall(organization_id));
alter table payment_refunds enable row level security;
create policy reach on payment_refunds using (within_wall(organization_id));
alter table payment_customers enable row level security;
create policy reach on payment_customers using (within_wall(organization_id));
-- The worker charges usage, and sets right what a provider says about payments; everything else is somebody's decision.
drop policy charges on ledger_entries;
create policy charges on ledger_entries for insert to gpuaas_billing
  with check (kind in ('usage', 'top_up', 'refund', 'hold', 'hold_release')
    or (kind = 'correction' and accounts = '{customer,payments}'));

-- Who may do what: the api begins payments and hears of them, the worker compares them with the provider.
grant select, insert, update on payment_sessions to gpuaas_api;
grant select, update on payment_sessions to gpuaas_billing;
grant select, insert on payment_events to gpuaas_api;
grant select, insert on payment_refunds to gpuaas_api;
grant select, update on payment_refunds to gpuaas_billing;
grant select, insert on payment_customers to gpuaas_api;

-- Terminal sessions: who has, or had, a shell in which allocation, and at which gateway copy its node is connected.

create table terminal_sessions (
  id uuid primary key,
  organization_id uuid not null references organizations,
  project_id uuid not null references projects,
  allocation_id uuid not null references allocations,
  node_id uuid not null references nodes,
  user_id uuid not null references users,
  name text not null check (name ~ '^[A-Za-z0-9][A-Za-z0-9 ._-]{0,62}$'),
  state text not null default 'opening',
  version bigint not null default 1,
  recording text not null check (recording in ('off', 'metadata', 'output')),
  columns integer not null check (columns between 1 and 1000),
  rows integer not null check (rows between 1 and 1000),
  simulated boolean not null,
  created_at timestamptz not null default act_time(),
  opened_at timestamptz,
  -- When it is given up without a shell, and when the shell ends at the latest.
  open_by timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  end_reason text,
  exit_code integer check (exit_code between 0 and 255),
  -- The gateway copy that its node is connected to.
  home_copy text check (length(home_copy) <= 64),
  home_peer_url text check (length(home_peer_url) <= 300),
  sent_bytes bigint check (sent_bytes >= 0),
  received_bytes bigint check (received_bytes >= 0),
  constraint terminal_sessions_ended check (
    (state = 'ended') = (ended_at is not null) and (state = 'ended') = (end_reason is not null)),
  constraint terminal_sessions_home check ((home_copy is null) = (home_peer_url is null))
);
create index terminal_sessions_page on terminal_sessions (organization_id, allocation_id, id);
create index terminal_sessions_allocation on terminal_sessions (allocation_id);
create index terminal_sessions_project on terminal_sessions (project_id);
create index terminal_sessions_node on terminal_sessions (node_id);
create index terminal_sessions_user on terminal_sessions (user_id);
create index terminal_sessions_live on terminal_sessions (id) where state <> 'ended';

insert into machine_edges (machine, from_state, to_state) values
  ('terminal_session', '', 'opening'),
  ('terminal_session', 'opening', 'open'),
  ('terminal_session', 'opening', 'ended'),
  ('terminal_session', 'open', 'ended');

-- Guards.
create trigger guard_act before insert or update or delete or truncate on terminal_sessions
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on terminal_sessions
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_machine before insert or update on terminal_sessions
  for each row execute function guard_machine('terminal_session');

-- Walls.
alter table terminal_sessions enable row level security;
create policy reach on terminal_sessions using (within_wall(organization_id));

-- Who may do what: the api opens and ends sessions, the worker ends those whose time or right is over.
grant select, insert, update on terminal_sessions to gpuaas_api;
grant select, update (state, version, opened_at, ended_at, end_reason, home_copy, home_peer_url) on terminal_sessions to gpuaas_worker;

-- As before, with the end of terminal sessions.
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
      'payments.balance_credited',
      'payments.reconcile_failed',
      'provisioning.force_release_requested'
    )
    when 'gpuaas_webhooks' then p_subject in ('notifications.webhook.disabled')
    else false
  end;

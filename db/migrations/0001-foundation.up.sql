-- The ground that every later table stands on: who is acting, what one write leaves behind, and the guards that hold
-- even when the code above them forgets.

-- Roles. One per family of processes, none of them a superuser. Passwords are not a matter of the schema. Whoever may
-- not create roles finds them made already: PostgreSQL asks for that right before it looks for the name.
do $$
declare
  family text;
begin
  foreach family in array array['gpuaas_api', 'gpuaas_worker', 'gpuaas_relay'] loop
    continue when exists (select from pg_roles where rolname = family);
    begin
      execute format('create role %I nologin nosuperuser nocreatedb nocreaterole nobypassrls', family);
    exception
      when duplicate_object or unique_violation then null;
    end;
  end loop;
end
$$;
revoke all on schema public from public;
grant usage on schema public to gpuaas_api, gpuaas_worker, gpuaas_relay;
alter default privileges revoke execute on functions from public;

-- Who is acting. Set for one transaction by act_begin and act_view, read by defaults, triggers and policies.

create function act_id() returns uuid language sql stable
  return nullif(current_setting('gpuaas.act', true), '')::uuid;

create function act_time() returns timestamptz language sql stable
  return coalesce(nullif(current_setting('gpuaas.now', true), '')::timestamptz, clock_timestamp());

-- The tenant predicate that statements write down, and the one that policies use. They are two functions, so that a
-- test can switch either wall off and see that the other one holds alone.
create function mine(organization uuid) returns boolean language sql stable
  return organization = nullif(current_setting('gpuaas.organization', true), '')::uuid
    or current_setting('gpuaas.reach', true) = 'platform';

create function is_me(person uuid) returns boolean language sql stable
  return (current_setting('gpuaas.reach', true) = 'self' and person::text = current_setting('gpuaas.actor', true))
    or current_setting('gpuaas.reach', true) = 'platform';

create function within_wall(organization uuid) returns boolean language sql stable
  return organization = nullif(current_setting('gpuaas.organization', true), '')::uuid
    or current_setting('gpuaas.reach', true) = 'platform';

create function within_self(person uuid) returns boolean language sql stable
  return current_setting('gpuaas.reach', true) = 'self' and person::text = current_setting('gpuaas.actor', true);

-- Guards.

create function guard_act() returns trigger language plpgsql as $$
begin
  if act_id() is null then
    raise exception '% is written inside an act only', tg_table_name
      using errcode = 'GP001', hint = 'Write through Database.write, which names the act and leaves its audit row.';
  end if;
  return null;
end
$$;

create function guard_audit() returns trigger language plpgsql as $$
begin
  if current_setting('gpuaas.audited', true) is distinct from current_setting('gpuaas.act', true) then
    raise exception '% was changed without an audit row', tg_table_name
      using errcode = 'GP002', hint = 'End the write with tx.commit, which leaves the audit row.';
  end if;
  return null;
end
$$;

create function guard_append_only() returns trigger language plpgsql as $$
begin
  raise exception '% only grows: % is refused', tg_table_name, lower(tg_op)
    using errcode = 'GP003', hint = 'Corrections are new rows.';
end
$$;

-- The edges of every state machine, emitted from the contract. An empty from_state is birth.
create table machine_edges (
  machine text not null,
  from_state text not null,
  to_state text not null,
  primary key (machine, from_state, to_state)
);

-- Arguments: the machine's name. Expects the columns state and version.
create function guard_machine() returns trigger language plpgsql as $$
declare
  born text := case when tg_op = 'INSERT' then '' else old.state end;
begin
  if tg_op = 'UPDATE' and new.version is distinct from old.version + 1 then
    raise exception '% changes its version one by one, not from % to %', tg_table_name, old.version, new.version
      using errcode = 'GP004';
  end if;
  if new.state is distinct from born
    and not exists (
      select from public.machine_edges e where e.machine = tg_argv[0] and e.from_state = born and e.to_state = new.state
    )
  then
    raise exception '% cannot go from % to %', tg_argv[0], coalesce(nullif(born, ''), 'nothing'), new.state
      using errcode = 'GP005', hint = 'See contract/src/machines.';
  end if;
  return new;
end
$$;

-- People.

create table users (
  id uuid primary key,
  oidc_issuer text not null check (oidc_issuer <> ''),
  oidc_subject text not null check (oidc_subject <> ''),
  created_at timestamptz not null default act_time(),
  unique (oidc_issuer, oidc_subject)
);

create table platform_role_bindings (
  user_id uuid not null references users,
  role text not null
    check (role in ('platform_superadmin', 'platform_ops', 'platform_finance', 'platform_support')),
  created_at timestamptz not null default act_time(),
  deleted_at timestamptz,
  primary key (user_id, role)
);

-- Tenants.

create table organizations (
  id uuid primary key,
  type text not null default 'enterprise' check (type in ('personal', 'enterprise')),
  name text not null check (length(name) between 1 and 200),
  slug text not null check (slug ~ '^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$'),
  currency text not null default 'USD' check (currency ~ '^[A-Z]{3}$'),
  version bigint not null default 1,
  created_at timestamptz not null default act_time(),
  updated_at timestamptz not null default act_time(),
  deleted_at timestamptz
);
create unique index organizations_slug on organizations (slug) where deleted_at is null;

create table tenant_memberships (
  user_id uuid not null references users,
  organization_id uuid not null references organizations,
  role text not null check (role in ('owner', 'admin', 'member', 'viewer')),
  created_at timestamptz not null default act_time(),
  deleted_at timestamptz,
  primary key (user_id, organization_id)
);
create index tenant_memberships_organization on tenant_memberships (organization_id, user_id);

create table projects (
  id uuid primary key,
  organization_id uuid not null references organizations,
  name text not null check (length(name) between 1 and 200),
  slug text not null check (slug ~ '^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$'),
  state text not null default 'active',
  version bigint not null default 1,
  created_at timestamptz not null default act_time(),
  updated_at timestamptz not null default act_time()
);
create unique index projects_slug on projects (organization_id, slug) where state <> 'deleted';
create index projects_organization on projects (organization_id, id);

-- What every write leaves behind.

create table audit_logs (
  id uuid primary key,
  organization_id uuid,
  project_id uuid,
  actor_id text not null,
  actor_kind text not null check (actor_kind in ('user', 'service_account', 'node', 'system')),
  actor_role text not null,
  action text not null check (action ~ '^[a-z0-9_]+(\.[a-z0-9_-]+)+$'),
  target_type text not null,
  target_id text not null,
  result text not null check (result in ('success', 'failure')),
  correlation_id text not null,
  change jsonb not null default '{}',
  actor_address text,
  user_agent text,
  transaction_id xid8 not null default pg_current_xact_id(),
  created_at timestamptz not null default act_time()
);
create index audit_logs_project on audit_logs (project_id, id) where project_id is not null;
create index audit_logs_organization on audit_logs (organization_id, id) where organization_id is not null;
create index audit_logs_correlation on audit_logs (correlation_id);

create table outbox_events (
  position bigint generated always as identity primary key,
  transaction_id xid8 not null default pg_current_xact_id(),
  event_id uuid not null,
  message_id text not null,
  subject text not null,
  key text not null,
  organization_id uuid,
  envelope jsonb not null,
  created_at timestamptz not null default act_time()
);
create index outbox_events_transaction on outbox_events (transaction_id, position);
create index outbox_events_created on outbox_events using brin (created_at);

create table idempotency_records (
  principal text not null,
  route text not null,
  key text not null check (length(key) between 1 and 128),
  fingerprint text not null,
  status smallint not null,
  body text not null,
  created_at timestamptz not null default act_time(),
  expires_at timestamptz not null,
  primary key (principal, route, key)
);
create index idempotency_records_expiry on idempotency_records (expires_at);

-- How far the relay has come. It publishes the events of all transactions in [transaction_from, transaction_to), in
-- the order of their positions, and moves on to the next range when none is left.
create table relay_watermarks (
  relay text primary key,
  transaction_from xid8 not null,
  transaction_to xid8 not null,
  position bigint not null,
  updated_at timestamptz not null default clock_timestamp()
);

-- What could not be delivered, until an operator decides.
create table dead_letters (
  seq bigint generated always as identity primary key,
  event_id uuid not null,
  subject text not null check (subject like 'dlq.%'),
  origin text not null check (origin in ('publish', 'consume')),
  consumer text,
  organization_id uuid,
  key text not null,
  envelope jsonb not null,
  attempts integer not null,
  reason text not null,
  state text not null default 'open',
  version bigint not null default 1,
  created_at timestamptz not null default act_time(),
  settled_at timestamptz,
  check ((origin = 'consume') = (consumer is not null)),
  check ((state = 'open') = (settled_at is null))
);
create unique index dead_letters_open on dead_letters (event_id, coalesce(consumer, '')) where state = 'open';
create index dead_letters_state on dead_letters (state, seq);

-- What a consumer has done, recorded in the transaction of the effect: a second delivery finds its own name here.
create table consumed_events (
  consumer text not null,
  event_id uuid not null,
  consumed_at timestamptz not null default act_time(),
  primary key (consumer, event_id)
);
create index consumed_events_age on consumed_events using brin (consumed_at);

-- Tokens that were revoked before they expired.
create table token_denials (
  token_id text primary key,
  reason text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null default act_time()
);

-- Begin and end of a write. The end is the only way to an audit row, an outbox row and a stored response: no role may
-- insert into those tables by itself.

create function act_view(
  p_actor text, p_reach text, p_organization text, p_project text, p_now text
) returns void language plpgsql as $$
begin
  perform set_config('gpuaas.actor', p_actor, true), set_config('gpuaas.reach', p_reach, true),
    set_config('gpuaas.organization', coalesce(p_organization, ''), true),
    set_config('gpuaas.project', coalesce(p_project, ''), true), set_config('gpuaas.now', p_now, true);
end
$$;

create function act_begin(
  p_act text, p_actor text, p_reach text, p_organization text, p_project text, p_now text,
  p_principal text, p_route text, p_key text
) returns void language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform set_config('gpuaas.act', p_act, true), set_config('gpuaas.actor', p_actor, true),
    set_config('gpuaas.reach', p_reach, true), set_config('gpuaas.organization', coalesce(p_organization, ''), true),
    set_config('gpuaas.project', coalesce(p_project, ''), true), set_config('gpuaas.now', p_now, true);
  if p_key is not null then
    if not pg_try_advisory_xact_lock(hashtextextended(concat_ws(chr(31), p_principal, p_route, p_key), 0)) then
      raise exception 'a request with this idempotency key is running' using errcode = 'GP409';
    end if;
    if exists (
      select from idempotency_records r
      where r.principal = p_principal and r.route = p_route and r.key = p_key and r.expires_at > p_now::timestamptz
    ) then
      raise exception 'this idempotency key was used' using errcode = 'GP208';
    end if;
  end if;
end
$$;

create function act_commit(
  p_act text, p_organization text, p_project text, p_actor text, p_actor_kind text, p_actor_role text, p_action text,
  p_target_type text, p_target_id text, p_result text, p_correlation text, p_change jsonb, p_address text, p_agent text,
  p_event_ids text[], p_message_ids text[], p_subjects text[], p_keys text[], p_envelopes text[],
  p_principal text, p_route text, p_key text, p_fingerprint text, p_status int, p_body text, p_expires text
) returns void language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  insert into audit_logs (id, organization_id, project_id, actor_id, actor_kind, actor_role, action, target_type,
      target_id, result, correlation_id, change, actor_address, user_agent)
    values (p_act::uuid, p_organization::uuid, p_project::uuid, p_actor, p_actor_kind, p_actor_role, p_action,
      p_target_type, p_target_id, p_result, p_correlation, p_change, p_address, p_agent);
  if p_event_ids is not null then
    insert into outbox_events (event_id, message_id, subject, key, organization_id, envelope)
      select e.id::uuid, e.message, e.subject, e.key, p_organization::uuid, e.envelope::jsonb
      from unnest(p_event_ids, p_message_ids, p_subjects, p_keys, p_envelopes)
        with ordinality as e (id, message, subject, key, envelope, n)
      order by e.n;
  end if;
  if p_key is not null then
    insert into idempotency_records (principal, route, key, fingerprint, status, body, expires_at)
      values (p_principal, p_route, p_key, p_fingerprint, p_status, p_body, p_expires::timestamptz)
      on conflict (principal, route, key) do update
        set fingerprint = excluded.fingerprint, status = excluded.status, body = excluded.body,
          created_at = excluded.created_at, expires_at = excluded.expires_at;
  end if;
  perform set_config('gpuaas.audited', p_act, true);
end
$$;

-- A dead letter goes out again as a new message with the old event: consumers that had it take no second effect.
create function outbox_requeue(p_seq bigint) returns void
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if act_id() is null then
    raise exception 'events are requeued inside an act only' using errcode = 'GP001';
  end if;
  insert into outbox_events (event_id, message_id, subject, key, organization_id, envelope)
    select event_id, event_id || ':' || seq, envelope ->> 'event_type', key, organization_id, envelope
    from dead_letters where seq = p_seq;
end
$$;

-- The relay starts over from the first event that is kept. Answers how many there are.
create function outbox_rewind() returns bigint
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if act_id() is null then
    raise exception 'the relay is rewound inside an act only' using errcode = 'GP001';
  end if;
  update relay_watermarks set transaction_from = '0', transaction_to = '0', position = 0;
  return (select count(*) from outbox_events);
end
$$;

-- The guards, table by table.

create trigger guard_append_only before update or delete on audit_logs
  for each row execute function guard_append_only();
create trigger guard_truncate before truncate on audit_logs
  for each statement execute function guard_append_only();

create trigger guard_act before insert or update or delete or truncate on users
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on users
  deferrable initially deferred for each row execute function guard_audit();

create trigger guard_act before insert or update or delete or truncate on platform_role_bindings
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on platform_role_bindings
  deferrable initially deferred for each row execute function guard_audit();

create trigger guard_act before insert or update or delete or truncate on organizations
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on organizations
  deferrable initially deferred for each row execute function guard_audit();

create trigger guard_act before insert or update or delete or truncate on tenant_memberships
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on tenant_memberships
  deferrable initially deferred for each row execute function guard_audit();

create trigger guard_act before insert or update or delete or truncate on projects
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on projects
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_machine before insert or update on projects
  for each row execute function guard_machine('project');

create trigger guard_act before insert or update or delete or truncate on dead_letters
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on dead_letters
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_machine before insert or update on dead_letters
  for each row execute function guard_machine('dead_letter');

create trigger guard_act before insert or update or delete or truncate on consumed_events
  for each statement execute function guard_act();

create trigger guard_act before insert or update or delete or truncate on token_denials
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on token_denials
  deferrable initially deferred for each row execute function guard_audit();

insert into machine_edges (machine, from_state, to_state) values
  ('dead_letter', '', 'open'),
  ('dead_letter', 'open', 'discarded'),
  ('dead_letter', 'open', 'requeued'),
  ('project', '', 'active'),
  ('project', 'active', 'archived'),
  ('project', 'active', 'removing'),
  ('project', 'archived', 'active'),
  ('project', 'archived', 'removing'),
  ('project', 'removing', 'active'),
  ('project', 'removing', 'deleted');

-- Row-level security: the second wall.

alter table users enable row level security;
create policy reach on users
  using (current_setting('gpuaas.reach', true) = 'platform' or within_self(id));

alter table platform_role_bindings enable row level security;
create policy reach on platform_role_bindings
  using (current_setting('gpuaas.reach', true) = 'platform' or within_self(user_id));

alter table organizations enable row level security;
create policy reach on organizations
  using (within_wall(id) or exists (
    select from tenant_memberships m
    where m.organization_id = organizations.id and m.deleted_at is null and within_self(m.user_id)
  ))
  with check (within_wall(id));

alter table tenant_memberships enable row level security;
create policy reach on tenant_memberships
  using (within_wall(organization_id) or within_self(user_id))
  with check (within_wall(organization_id));

alter table projects enable row level security;
create policy reach on projects using (within_wall(organization_id));

alter table audit_logs enable row level security;
create policy reach on audit_logs for select using (within_wall(organization_id));

alter table outbox_events enable row level security;
create policy reach on outbox_events for select using (within_wall(organization_id));
create policy relay on outbox_events to gpuaas_relay using (true);

alter table dead_letters enable row level security;
create policy reach on dead_letters using (current_setting('gpuaas.reach', true) = 'platform');

-- Who may do what, whoever asks.

-- A process compares the schema with itself before it serves anyone.
grant select on schema_migrations to gpuaas_api, gpuaas_worker, gpuaas_relay;
grant select on machine_edges to gpuaas_api, gpuaas_worker, gpuaas_relay;
grant select, insert on users, platform_role_bindings to gpuaas_api, gpuaas_worker;
grant update on platform_role_bindings to gpuaas_api;
grant select, insert, update on organizations, tenant_memberships, projects to gpuaas_api, gpuaas_worker;
grant select on audit_logs to gpuaas_api, gpuaas_worker;
grant select on outbox_events to gpuaas_api, gpuaas_worker;
grant select, delete on outbox_events to gpuaas_relay;
grant select, insert, update on relay_watermarks to gpuaas_relay;
grant select on relay_watermarks to gpuaas_api;
grant select, insert, update on dead_letters to gpuaas_api, gpuaas_worker, gpuaas_relay;
grant select, insert on consumed_events to gpuaas_worker;
grant delete on consumed_events to gpuaas_relay;
grant select on consumed_events to gpuaas_relay;
grant select on idempotency_records to gpuaas_api;
grant select, delete on idempotency_records to gpuaas_relay;
grant select, insert on token_denials to gpuaas_api;
grant select on token_denials to gpuaas_worker, gpuaas_relay;
grant execute on function act_id(), act_time(), mine(uuid), is_me(uuid), within_wall(uuid), within_self(uuid),
  guard_act(), guard_audit(), guard_machine(), guard_append_only(),
  act_view(text, text, text, text, text),
  act_begin(text, text, text, text, text, text, text, text, text)
  to gpuaas_api, gpuaas_worker, gpuaas_relay;
grant execute on function outbox_requeue(bigint), outbox_rewind() to gpuaas_api;
grant execute on function act_commit(text, text, text, text, text, text, text, text, text, text, text, jsonb, text,
  text, text[], text[], text[], text[], text[], text, text, text, text, int, text, text)
  to gpuaas_api, gpuaas_worker, gpuaas_relay;

-- Notifications: one row for each event, person and kind. The notification-relay writes them from the bus; a person reads and
-- marks their own. What has to be mailed stands in a table of its own, with what became of it.

do $$
begin
  if not exists (select from pg_roles where rolname = 'gpuaas_notifier') then
    create role gpuaas_notifier nologin nosuperuser nocreatedb nocreaterole nobypassrls;
  end if;
exception
  when duplicate_object or unique_violation then null;
end
$$;
grant usage on schema public to gpuaas_notifier;

create table notifications (
  user_id uuid not null references users,
  -- The same for everybody who is notified of one event; it grows with time, so a list is paged by it.
  id uuid not null,
  event_id uuid not null,
  kind text not null check (kind ~ '^[a-z_]{3,60}$'),
  -- Null for what concerns the person alone, or the platform.
  organization_id uuid references organizations,
  project_id uuid,
  payload jsonb not null,
  -- What these were called when it happened; the reader may not be allowed to look them up any more.
  organization_name text,
  allocation_name text,
  correlation_id text not null,
  occurred_at timestamptz not null,
  created_at timestamptz not null default act_time(),
  read_at timestamptz,
  -- False where the person turned this kind off for the list and gets mail alone.
  shown boolean not null default true,
  expires_at timestamptz not null,
  primary key (user_id, id),
  unique (user_id, event_id, kind)
);
create index notifications_unread on notifications (user_id, id) where read_at is null and shown;
create index notifications_expiry on notifications (expires_at);
create index notifications_organization on notifications (organization_id);

-- What each person chose; a kind without a row is as the contract says.
create table notification_preferences (
  user_id uuid not null references users,
  kind text not null check (kind ~ '^[a-z_]{3,60}$'),
  inbox boolean not null,
  mail text not null check (mail in ('each', 'daily', 'none')),
  updated_at timestamptz not null default act_time(),
  primary key (user_id, kind)
);

-- Where mails to a person go: what their provider says at sign-in.
create table contact_addresses (
  user_id uuid primary key references users,
  email text not null check (length(email) between 3 and 254),
  updated_at timestamptz not null default act_time()
);

-- A mail that is to be sent, and what became of it. Several that wait for the daily mail are sent as one.
create table notification_mails (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null,
  notification_id uuid not null,
  kind text not null,
  daily boolean not null,
  outcome text not null default 'waiting' check (outcome in ('waiting', 'accepted', 'refused', 'skipped', 'given_up')),
  attempts integer not null default 0,
  -- When it is tried next.
  due_at timestamptz not null,
  message_id text,
  reason text check (length(reason) <= 1000),
  -- As in mail_deliveries: letters to one address are counted by a keyed digest of it.
  recipient_digest bytea,
  created_at timestamptz not null default act_time(),
  settled_at timestamptz,
  unique (user_id, notification_id),
  foreign key (user_id, notification_id) references notifications (user_id, id) on delete cascade,
  constraint notification_mails_sent check ((outcome = 'accepted') = (message_id is not null)),
  constraint notification_mails_settled check ((outcome = 'waiting') = (settled_at is null))
);
create index notification_mails_due on notification_mails (due_at) where outcome = 'waiting';
create index notification_mails_recipient on notification_mails (recipient_digest, settled_at);

-- An erased person leaves none of it.
create function erase_notifications() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  delete from notifications where user_id = new.id;
  delete from notification_preferences where user_id = new.id;
  delete from contact_addresses where user_id = new.id;
  return null;
end
$$;
create trigger erase_notifications after update of erased_at on users
  for each row when (old.erased_at is null and new.erased_at is not null) execute function erase_notifications();

-- Guards.
create trigger guard_act before insert or update or delete or truncate on notifications
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on notifications
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_act before insert or update or delete or truncate on notification_preferences
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on notification_preferences
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_act before insert or update or delete or truncate on contact_addresses
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on contact_addresses
  deferrable initially deferred for each row execute function guard_audit();
create trigger guard_act before insert or update or delete or truncate on notification_mails
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on notification_mails
  deferrable initially deferred for each row execute function guard_audit();

-- Walls: a person has their own, whatever organization it is about.
alter table notifications enable row level security;
create policy reach on notifications
  using (current_setting('gpuaas.reach', true) = 'platform' or within_self(user_id));
alter table notification_preferences enable row level security;
create policy reach on notification_preferences
  using (current_setting('gpuaas.reach', true) = 'platform' or within_self(user_id));
alter table contact_addresses enable row level security;
create policy reach on contact_addresses
  using (current_setting('gpuaas.reach', true) = 'platform' or within_self(user_id));
alter table notification_mails enable row level security;
create policy reach on notification_mails using (current_setting('gpuaas.reach', true) = 'platform');

-- Who may do what: the relay writes, the api reads and marks, the email-worker sends.
grant select, update (read_at) on notifications to gpuaas_api;
grant select, insert, update, delete on notification_preferences to gpuaas_api;
grant select, insert, update on contact_addresses to gpuaas_api;
grant execute on function erase_notifications() to gpuaas_api;
grant select, insert, delete on notifications to gpuaas_notifier;
grant select, insert on notification_mails to gpuaas_notifier;
grant select on notification_preferences to gpuaas_notifier;
grant select on machine_edges, policy_values, schema_migrations to gpuaas_notifier;
grant select, insert on consumed_events, dead_letters to gpuaas_notifier;
grant select (id, name, plan) on organizations to gpuaas_notifier;
grant select (user_id, organization_id, role, deleted_at) on tenant_memberships to gpuaas_notifier;
grant select (user_id, organization_id, project_id, deleted_at) on project_memberships to gpuaas_notifier;
grant select (user_id, role, deleted_at) on platform_role_bindings to gpuaas_notifier;
grant select (id, disabled_at) on users to gpuaas_notifier;
grant select (id, organization_id, project_id, node_id, requested_by, state, name) on allocations to gpuaas_notifier;
grant select on notifications, contact_addresses to gpuaas_mailer;
grant select, update on notification_mails to gpuaas_mailer;

-- The rights that every family has.
grant execute on function act_begin(text, text, text, text, text, text, text, text, text), act_id(), act_time(), act_family(),
  act_look(text, text, text, text), act_open(text, text, text, text, text, text, text, text),
  act_view(text, text, text, text, text), act_refusal(text, text, text, text[], text[], text), act_refuse(text),
  event_of_family(text, text), guard_act(), guard_append_only(), guard_audit(), guard_machine(), is_me(uuid), mine(uuid),
  within_self(uuid), within_wall(uuid),
  act_commit(text, text, text, text, text, text, text, text, text, text, text, jsonb, text, text, text[], text[], text[], text[],
    text[], text, text, text, text, integer, text, text, text, jsonb) to gpuaas_notifier;

-- As before, with the relay of notifications among the families that act for nobody but themselves.
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

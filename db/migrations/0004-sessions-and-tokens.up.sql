-- Where people are signed in, the tokens they made for themselves, and what was revoked before its time.

-- A denial names one token, one session of a person, or everything that was issued to a person before a moment, but for
-- the session that asked for it.
alter table token_denials add column kind text not null default 'token' check (kind in ('token', 'session', 'person'));
alter table token_denials add column issued_before timestamptz;
alter table token_denials add column spares text;
alter table token_denials add check ((kind = 'person') = (issued_before is not null));
alter table token_denials drop constraint token_denials_pkey;
alter table token_denials add primary key (kind, token_id);
create index token_denials_expiry on token_denials (expires_at);

create table account_sessions (
  id uuid primary key,
  user_id uuid not null references users,
  provider text not null
    check (provider in ('oidc', 'personal_token', 'service_account', 'password', 'unknown')),
  provider_session_id text,
  latest_token_id text,
  device_label text,
  user_agent text,
  browser text,
  os text,
  ip_address text,
  signed_in_at timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  revoked_by text,
  revoke_reason text,
  created_at timestamptz not null default act_time(),
  updated_at timestamptz not null default act_time(),
  check (provider_session_id is not null or latest_token_id is not null),
  check ((revoked_at is null) = (revoked_by is null))
);
create index account_sessions_user on account_sessions (user_id, id);
create unique index account_sessions_by_session on account_sessions (user_id, provider_session_id)
  where provider_session_id is not null;
create unique index account_sessions_by_token on account_sessions (user_id, latest_token_id)
  where provider_session_id is null;

-- When a credential was last used, and from where. Losing it loses nothing.
create table credential_sightings (
  credential_id uuid primary key,
  last_used_at timestamptz not null,
  ip_address text,
  user_agent text
);

create table personal_tokens (
  id uuid primary key,
  user_id uuid not null references users,
  name text not null check (length(name) between 1 and 200),
  prefix text not null,
  token_hash bytea not null unique check (length(token_hash) = 32),
  scopes text[] not null check (cardinality(scopes) > 0),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  created_at timestamptz not null default act_time()
);
create index personal_tokens_user on personal_tokens (user_id, id);

-- Seeing somebody is not an act: it happens with every request, and is written in batches by this function alone. A
-- session that was revoked is not brought back by a late sighting.
create function credentials_seen(p_sessions jsonb, p_credentials jsonb) returns void
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  insert into account_sessions (id, user_id, provider, provider_session_id, latest_token_id, device_label, user_agent,
      browser, os, ip_address, signed_in_at, last_seen_at, expires_at)
    select s.id, s.user_id, s.provider, s.session_id, s.token_id, s.device_label, s.user_agent, s.browser, s.os,
      s.ip_address, s.signed_in_at, s.seen_at, s.expires_at
    from jsonb_to_recordset(p_sessions) as s (id uuid, user_id uuid, provider text, session_id text, token_id text,
      device_label text, user_agent text, browser text, os text, ip_address text, signed_in_at timestamptz,
      seen_at timestamptz, expires_at timestamptz)
    where s.session_id is not null
    on conflict (user_id, provider_session_id) where provider_session_id is not null do update
      set latest_token_id = excluded.latest_token_id, ip_address = excluded.ip_address,
        user_agent = excluded.user_agent, device_label = excluded.device_label, browser = excluded.browser,
        os = excluded.os, last_seen_at = greatest(account_sessions.last_seen_at, excluded.last_seen_at),
        expires_at = greatest(account_sessions.expires_at, excluded.expires_at), updated_at = excluded.updated_at
      where account_sessions.revoked_at is null;
  insert into account_sessions (id, user_id, provider, latest_token_id, device_label, user_agent, browser, os,
      ip_address, signed_in_at, last_seen_at, expires_at)
    select s.id, s.user_id, s.provider, s.token_id, s.device_label, s.user_agent, s.browser, s.os, s.ip_address,
      s.signed_in_at, s.seen_at, s.expires_at
    from jsonb_to_recordset(p_sessions) as s (id uuid, user_id uuid, provider text, session_id text, token_id text,
      device_label text, user_agent text, browser text, os text, ip_address text, signed_in_at timestamptz,
      seen_at timestamptz, expires_at timestamptz)
    where s.session_id is null
    on conflict (user_id, latest_token_id) where provider_session_id is null do update
      set ip_address = excluded.ip_address, user_agent = excluded.user_agent, device_label = excluded.device_label,
        browser = excluded.browser, os = excluded.os,
        last_seen_at = greatest(account_sessions.last_seen_at, excluded.last_seen_at), updated_at = excluded.updated_at
      where account_sessions.revoked_at is null;
  insert into credential_sightings (credential_id, last_used_at, ip_address, user_agent)
    select c.id, c.seen_at, c.ip_address, c.user_agent
    from jsonb_to_recordset(p_credentials) as c (id uuid, seen_at timestamptz, ip_address text, user_agent text)
    on conflict (credential_id) do update
      set last_used_at = greatest(credential_sightings.last_used_at, excluded.last_used_at),
        ip_address = excluded.ip_address, user_agent = excluded.user_agent;
end
$$;

-- Ending a session is an act, though seeing one is not.
create trigger guard_act before update of revoked_at on account_sessions
  for each statement execute function guard_act();
create constraint trigger guard_audit after update of revoked_at on account_sessions
  deferrable initially deferred for each row execute function guard_audit();

create trigger guard_act before insert or update or delete or truncate on personal_tokens
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on personal_tokens
  deferrable initially deferred for each row execute function guard_audit();

alter table account_sessions enable row level security;
create policy reach on account_sessions
  using (current_setting('gpuaas.reach', true) = 'platform' or within_self(user_id));

alter table personal_tokens enable row level security;
create policy reach on personal_tokens
  using (current_setting('gpuaas.reach', true) = 'platform' or within_self(user_id));

grant select, update (revoked_at, revoked_by, revoke_reason, updated_at) on account_sessions to gpuaas_api;
grant select on credential_sightings to gpuaas_api;
grant select, insert, update on personal_tokens to gpuaas_api;
grant update, delete on token_denials to gpuaas_api;
grant execute on function credentials_seen(jsonb, jsonb) to gpuaas_api;

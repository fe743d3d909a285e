-- Browsers that are signed in to the console. A browser holds a random cookie and nothing else; here lies its digest,
-- whose it is, and the tokens of the sign-in, sealed with a key that the database does not have.
create table console_sessions (
  id uuid primary key,
  user_id uuid not null references users,
  cookie_digest bytea not null unique check (length(cookie_digest) = 32),
  -- What the issuer calls the sign-in: account_sessions names it by the same.
  provider_session_id text,
  sealed_tokens bytea not null,
  -- Which of the refreshed tokens these are; whoever renews them says which ones they had.
  generation bigint not null default 0,
  renewing_until timestamptz,
  expires_at timestamptz not null,
  ended_at timestamptz,
  end_reason text,
  created_at timestamptz not null default act_time(),
  check ((ended_at is null) = (end_reason is null))
);
create index console_sessions_user on console_sessions (user_id, id);
create index console_sessions_expiry on console_sessions (expires_at);

-- Tokens are renewed every few minutes while somebody works, which is no act of theirs. A refresh token may be used
-- once, so one process at a time renews; a claim that its process did not live to use runs out.
create function console_tokens_claim(p_id uuid, p_generation bigint, p_now timestamptz, p_until timestamptz)
  returns boolean language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  update console_sessions set renewing_until = p_until
    where id = p_id and generation = p_generation and ended_at is null
      and (renewing_until is null or renewing_until <= p_now);
  return found;
end
$$;
create function console_tokens_renew(p_id uuid, p_generation bigint, p_sealed bytea)
  returns boolean language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  update console_sessions set sealed_tokens = p_sealed, generation = generation + 1, renewing_until = null
    where id = p_id and generation = p_generation and ended_at is null;
  return found;
end
$$;

-- Beginning and ending one are acts.
create trigger guard_act before insert or delete or truncate or update of ended_at on console_sessions
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or delete or update of ended_at on console_sessions
  deferrable initially deferred for each row execute function guard_audit();

alter table console_sessions enable row level security;
create policy reach on console_sessions
  using (current_setting('gpuaas.reach', true) = 'platform' or within_self(user_id));

grant select, insert, delete, update (ended_at, end_reason) on console_sessions to gpuaas_api;
grant execute on function console_tokens_claim(uuid, bigint, timestamptz, timestamptz) to gpuaas_api;
grant execute on function console_tokens_renew(uuid, bigint, bytea) to gpuaas_api;

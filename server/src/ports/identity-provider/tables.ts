import { Pool } from 'pg';

/**
 * The schema is the issuer's own: it makes it itself, and nothing else ever looks into it. Statements that have run
 * once change nothing when they run again; the lock keeps processes that start together from creating a thing twice.
 */
const tables = `
  select pg_advisory_xact_lock(7235118452003511);
  create schema if not exists gpuaas_oidc;
  create or replace function gpuaas_oidc.sealed_key_id(p_sealed bytea) returns text language sql immutable strict parallel safe
    as $$ select case
      when length(p_sealed) < 2 then 'unknown'
      when get_byte(p_sealed, 0) = 2 then convert_from(substring(p_sealed from 3 for get_byte(p_sealed, 1)), 'LATIN1')
      when get_byte(p_sealed, 0) = 1 then 'first' else 'unknown' end $$;
  create table if not exists gpuaas_oidc.record (
    kind text not null,
    id bytea not null,
    grant_id bytea,
    uid bytea,
    user_code bytea,
    account_id text,
    sealed bytea not null,
    consumed_at timestamptz,
    expires_at timestamptz,
    primary key (kind, id)
  );
  create index if not exists record_grant on gpuaas_oidc.record (grant_id) where grant_id is not null;
  create index if not exists record_uid on gpuaas_oidc.record (uid) where uid is not null;
  create index if not exists record_user_code on gpuaas_oidc.record (user_code) where user_code is not null;
  create index if not exists record_account on gpuaas_oidc.record (account_id) where account_id is not null;
  create index if not exists record_expiry on gpuaas_oidc.record (expires_at) where expires_at is not null;
  create table if not exists gpuaas_oidc.account (
    id uuid primary key,
    login text not null unique,
    display_name text not null,
    email text,
    password_hash text,
    link_digest bytea unique,
    link_expires_at timestamptz,
    created_at timestamptz not null,
    disabled_at timestamptz
  );
  alter table gpuaas_oidc.account add column if not exists factor_tries integer not null default 0;
  alter table gpuaas_oidc.account add column if not exists factor_tries_from timestamptz;
  alter table gpuaas_oidc.account add column if not exists sign_ins_ended_at timestamptz;
  create index if not exists account_email on gpuaas_oidc.account (lower(email));
  create table if not exists gpuaas_oidc.factor (
    id uuid primary key,
    account_id uuid not null references gpuaas_oidc.account on delete cascade,
    kind text not null,
    name text not null,
    sealed bytea,
    last_step bigint,
    created_at timestamptz not null,
    confirmed_at timestamptz,
    last_used_at timestamptz
  );
  alter table gpuaas_oidc.factor alter column sealed drop not null;
  alter table gpuaas_oidc.factor drop constraint if exists factor_kind_check;
  do $$ begin
    if not exists (select from pg_constraint where conname = 'factor_kinds' and conrelid = 'gpuaas_oidc.factor'::regclass) then
      alter table gpuaas_oidc.factor add constraint factor_kinds check (
        (kind = 'totp' and sealed is not null) or (kind = 'passkey' and sealed is null));
    end if;
  end $$;
  create table if not exists gpuaas_oidc.passkey (
    factor_id uuid primary key references gpuaas_oidc.factor on delete cascade,
    credential_id bytea not null unique,
    public_key bytea not null,
    sign_count bigint not null check (sign_count >= 0),
    transports text[] not null
  );
  create table if not exists gpuaas_oidc.passkey_challenge (
    account_id uuid not null references gpuaas_oidc.account on delete cascade,
    bound_to text not null,
    challenge bytea not null,
    expires_at timestamptz not null,
    primary key (account_id, bound_to)
  );
  create index if not exists passkey_challenge_expiry on gpuaas_oidc.passkey_challenge (expires_at);
  create index if not exists factor_account on gpuaas_oidc.factor (account_id);
  create table if not exists gpuaas_oidc.recovery_code (
    account_id uuid not null references gpuaas_oidc.account on delete cascade,
    digest bytea not null,
    used_at timestamptz,
    primary key (account_id, digest)
  );
  create table if not exists gpuaas_oidc.client (
    id text primary key,
    name text not null,
    secret_digest text not null,
    scopes text[],
    created_at timestamptz not null
  );
  create table if not exists gpuaas_oidc.signing_key (
    id text primary key,
    state text not null check (state in ('next', 'active', 'retired')),
    public_key jsonb not null,
    sealed_private_key bytea not null,
    created_at timestamptz not null,
    retired_at timestamptz,
    check ((state = 'retired') = (retired_at is not null))
  );
  create unique index if not exists signing_key_one_of_each
    on gpuaas_oidc.signing_key (state) where state in ('next', 'active');
`;

const deadlineMs = 5_000;

export async function openTables(url: string, log?: { warn(details: object, message: string): void }): Promise<Pool> {
  const pool = new Pool({
    connectionString: url,
    application_name: 'gpuaas-oidc',
    max: 5,
    connectionTimeoutMillis: deadlineMs,
    statement_timeout: deadlineMs,
    query_timeout: deadlineMs + 1_000,
  });
  // The pool replaces a connection that died while it was idle; unheard, its error event would end the process.
  pool.on('error', (error) => log?.warn({ err: error }, 'an idle connection of the issuer was lost'));
  try {
    // Several statements in one text are one transaction.
    await pool.query(tables);
    return pool;
  } catch (error) {
    await pool.end();
    throw error;
  }
}

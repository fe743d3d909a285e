-- The SSH jump host: a key of its own, the sessions that a key of a person opened there, and the look-up of people by their keys.

-- Keys that the platform shows or signs with in SSH. The private halves are sealed with a key that is not in the database.
create table ssh_platform_keys (
  kind text primary key check (kind in ('jump_host')),
  public_key text not null check (public_key ~ '^ssh-ed25519 [A-Za-z0-9+/]+={0,2}$'),
  sealed_private_key bytea not null,
  created_at timestamptz not null default act_time()
);
create trigger guard_act before insert or update or delete or truncate on ssh_platform_keys
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on ssh_platform_keys
  deferrable initially deferred for each row execute function guard_audit();
alter table ssh_platform_keys enable row level security;
create policy reach on ssh_platform_keys using (current_setting('gpuaas.reach', true) = 'platform');
grant select, insert on ssh_platform_keys to gpuaas_api;
grant update (sealed_private_key) on ssh_platform_keys to gpuaas_api;

-- No reference: the key may go, and the guard then ends the session.
alter table terminal_sessions add column ssh_key_id uuid;

create index ssh_keys_fingerprint on ssh_keys (fingerprint) where user_id is not null;

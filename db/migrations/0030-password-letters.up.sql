-- Letters under way with a link for a password of our own provider. The token follows from the id, so only its hash is
-- kept; the address is here until the letter has left, and is deleted with it.
create table password_letters (
  id uuid primary key,
  account_id uuid not null,
  login text not null check (length(login) between 1 and 128),
  email text not null check (length(email) between 3 and 254),
  token_hash text not null check (token_hash ~ '^[0-9a-f]{64}$'),
  expires_at timestamptz not null,
  created_at timestamptz not null default act_time()
);

create trigger guard_act before insert or update or delete or truncate on password_letters
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on password_letters
  deferrable initially deferred for each row execute function guard_audit();

alter table password_letters enable row level security;
create policy reach on password_letters using (current_setting('gpuaas.reach', true) = 'platform');

grant insert on password_letters to gpuaas_api;
grant select, delete on password_letters to gpuaas_worker;

-- How many letters somebody got is counted by a keyed digest of the address, which says nothing without the key.
alter table mail_deliveries add column recipient_digest bytea;
alter table mail_deliveries drop constraint mail_deliveries_kind_check;
alter table mail_deliveries add constraint mail_deliveries_kind_check check (kind in ('invitation', 'password'));
create index mail_deliveries_recipient on mail_deliveries (recipient_digest, created_at);

-- Whether an address is invited is asked by the address alone.
create index invitations_email on invitations (email) where state = 'pending';

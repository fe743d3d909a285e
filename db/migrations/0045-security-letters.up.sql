-- Letters under way that tell people of changes of their second factors. The address is here until the letter has left, and
-- is deleted with it.
create table security_letters (
  id uuid primary key,
  account_id uuid not null,
  login text not null check (length(login) between 1 and 128),
  email text not null check (length(email) between 3 and 254),
  change text not null check (change in (
    'factor_added', 'factor_removed', 'recovery_codes_renewed', 'recovery_code_used', 'factors_reset')),
  created_at timestamptz not null default act_time()
);

create trigger guard_act before insert or update or delete or truncate on security_letters
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on security_letters
  deferrable initially deferred for each row execute function guard_audit();

-- Whoever changes their own factors writes one and reads none.
alter table security_letters enable row level security;
create policy reach on security_letters using (current_setting('gpuaas.reach', true) = 'platform')
  with check (current_setting('gpuaas.reach', true) in ('platform', 'self'));

grant insert on security_letters to gpuaas_api;
grant select, delete on security_letters to gpuaas_mailer;

alter table mail_deliveries drop constraint mail_deliveries_kind_check;
alter table mail_deliveries add constraint mail_deliveries_kind_check
  check (kind in ('invitation', 'password', 'security'));

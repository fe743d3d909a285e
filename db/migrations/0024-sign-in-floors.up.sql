-- Revoking the sign-ins of a person is for ever: whoever signed in before this moment signs in again. It is compared
-- with the moment of the sign-in, which renewing a token does not move. The sign-in that asked to end the others goes
-- on: it is known by its session, else by its moment, else by its token.
create table sign_in_floors (
  user_id uuid primary key references users,
  not_before timestamptz not null,
  spared_session text,
  spared_sign_in timestamptz,
  spared_token text,
  reason text not null,
  updated_at timestamptz not null default act_time(),
  check (num_nonnulls(spared_session, spared_sign_in, spared_token) <= 1)
);
create index sign_in_floors_recent on sign_in_floors (updated_at);

-- What was revoked before is kept. A spared name of that time is a session's wherever its issuer named sessions.
insert into sign_in_floors (user_id, not_before, spared_session, reason, updated_at)
  select u.id, d.issued_before, d.spares, d.reason, now()
  from token_denials d join users u on u.id::text = d.token_id where d.kind = 'person';

create trigger guard_act before insert or update or delete or truncate on sign_in_floors
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on sign_in_floors
  deferrable initially deferred for each row execute function guard_audit();

alter table sign_in_floors enable row level security;
create policy reach on sign_in_floors
  using (current_setting('gpuaas.reach', true) = 'platform' or within_self(user_id));

grant select, insert, update on sign_in_floors to gpuaas_api;

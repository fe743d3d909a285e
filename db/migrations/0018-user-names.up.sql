-- What people are called by others. Everybody chooses for themselves; those who share an organization see it.
create table user_names (
  user_id uuid primary key references users,
  display_name text not null check (length(display_name) between 1 and 200),
  updated_at timestamptz not null default act_time()
);

create trigger guard_act before insert or update or delete or truncate on user_names
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on user_names
  deferrable initially deferred for each row execute function guard_audit();

alter table user_names enable row level security;
create policy reach on user_names using (
  current_setting('gpuaas.reach', true) = 'platform' or within_self(user_id) or exists (
    select from tenant_memberships m where m.user_id = user_names.user_id and within_wall(m.organization_id)
  )
);

grant select, insert, update, delete on user_names to gpuaas_api;
grant select on user_names to gpuaas_worker;

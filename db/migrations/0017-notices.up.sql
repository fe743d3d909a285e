-- Until when somebody has read what happened. The notices themselves are the events of a project, found by an index that
-- leaves out phases: they are most of all events, and nobody wants to be told of each.
create table notice_marks (
  user_id uuid primary key references users,
  read_until timestamptz not null,
  updated_at timestamptz not null default act_time()
);
create index outbox_events_notices on outbox_events ((envelope ->> 'project_id'), position)
  where envelope ->> 'project_id' is not null and subject <> 'provisioning.phase';

create trigger guard_act before insert or update or delete or truncate on notice_marks
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on notice_marks
  deferrable initially deferred for each row execute function guard_audit();

alter table notice_marks enable row level security;
create policy reach on notice_marks
  using (current_setting('gpuaas.reach', true) = 'platform' or within_self(user_id));

grant select, insert, update on notice_marks to gpuaas_api;

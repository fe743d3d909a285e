-- What became of each letter: one row for the event that asked for it. No address and no text.

create table mail_deliveries (
  event_id uuid primary key,
  organization_id uuid references organizations,
  kind text not null check (kind in ('invitation')),
  subject_id uuid not null,
  outcome text not null check (outcome in ('accepted', 'refused', 'skipped')),
  message_id text,
  reason text check (length(reason) <= 1000),
  created_at timestamptz not null default act_time(),
  check ((outcome = 'accepted') = (message_id is not null)),
  check ((outcome = 'accepted') = (reason is null))
);
create index mail_deliveries_organization on mail_deliveries (organization_id, created_at);
create index mail_deliveries_subject on mail_deliveries (subject_id);

create trigger guard_act before insert or update or delete or truncate on mail_deliveries
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or update or delete on mail_deliveries
  deferrable initially deferred for each row execute function guard_audit();

alter table mail_deliveries enable row level security;
create policy reach on mail_deliveries using (within_wall(organization_id));

grant select, insert on mail_deliveries to gpuaas_worker;
grant select on invitations to gpuaas_worker;

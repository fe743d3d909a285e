-- A key that signs tasks is vouched for by the one before it, so that nodes need not take a list's word for it.
alter table task_signers
  add column endorsed_by uuid references task_signers,
  add column endorsement text check (endorsement ~ '^[A-Za-z0-9_-]{86}$'),
  add check ((endorsed_by is null) = (endorsement is null));
create index task_signers_endorser on task_signers (endorsed_by);

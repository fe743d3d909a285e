drop index task_signers_endorser;
alter table task_signers drop column endorsement, drop column endorsed_by;

alter table ssh_keys drop column proven_at;
-- The release before knows no grants, and would leave their keys on machines for ever.
alter table allocation_ssh_keys disable trigger guard_act;
alter table allocation_ssh_keys disable trigger guard_audit;
delete from allocation_ssh_keys where grant_id is not null;
alter table allocation_ssh_keys enable trigger guard_audit;
alter table allocation_ssh_keys enable trigger guard_act;
alter table allocation_ssh_keys drop column grant_id;
drop table allocation_access_grants;
alter table terminal_sessions drop column ssh_certificate_id;
drop table ssh_certificates;
drop function ssh_trusted_authorities();
drop index ssh_platform_keys_next;
drop index ssh_platform_keys_current;
alter table ssh_platform_keys disable trigger guard_act;
alter table ssh_platform_keys disable trigger guard_audit;
delete from ssh_platform_keys where kind <> 'jump_host' or used_from is null or retired_at is not null;
alter table ssh_platform_keys enable trigger guard_audit;
alter table ssh_platform_keys enable trigger guard_act;
alter table ssh_platform_keys
  drop constraint ssh_platform_keys_pkey,
  drop constraint ssh_platform_keys_life,
  drop constraint ssh_platform_keys_kind,
  drop column retired_at,
  drop column used_from,
  drop column number,
  add constraint ssh_platform_keys_kind_check check (kind in ('jump_host')),
  add primary key (kind);

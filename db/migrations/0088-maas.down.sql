drop table maas_jobs;
drop table maas_machines;
drop table maas_sites;
delete from machine_edges where machine = 'maas_job';
revoke select on agent_releases from gpuaas_worker;
-- Nothing can be done with them any more.
alter table node_enrolments disable trigger guard_act;
alter table node_enrolments disable trigger guard_audit;
delete from node_enrolments where purpose = 'reimage';
alter table node_enrolments enable trigger guard_audit;
alter table node_enrolments enable trigger guard_act;
alter table node_enrolments drop constraint node_enrolments_purpose_check;
alter table node_enrolments add constraint node_enrolments_purpose_check check (purpose in ('enrol', 'recover'));

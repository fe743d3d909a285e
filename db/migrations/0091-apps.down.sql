drop policy shown on app_version_trust;
drop policy shown on app_versions;
drop policy shown on apps;
drop table app_entitlements;
drop table app_version_trust;
drop table app_versions;
drop table apps;
delete from machine_edges where machine in ('app_artifact', 'app_trust');

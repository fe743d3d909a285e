revoke select on organizations, tenant_memberships from gpuaas_relay;
drop table policy_values;
alter table organizations drop column plan;

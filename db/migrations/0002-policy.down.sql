revoke select on organizations from gpuaas_relay;
drop table policy_values;
alter table organizations drop column plan;

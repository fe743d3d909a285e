revoke select (releasing_at) on allocations from gpuaas_billing;
alter table usage_evidence drop column speed;

revoke select on invitations from gpuaas_worker;
drop table mail_deliveries;

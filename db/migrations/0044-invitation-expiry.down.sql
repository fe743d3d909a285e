revoke update on invitations from gpuaas_worker;
drop index invitations_overdue;

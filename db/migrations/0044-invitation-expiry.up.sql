-- The worker moves invitations to expired when their time is over.
create index invitations_overdue on invitations (expires_at) where state = 'pending';
grant update on invitations to gpuaas_worker;

revoke update (stored_bytes) on storage_namespaces from gpuaas_api;
alter table storage_namespaces drop column stored_bytes;

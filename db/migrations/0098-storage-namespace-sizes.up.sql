-- How much lies in each namespace, so that a project sees where its quota goes. It changes with the bucket, under the bucket's lock.
alter table storage_namespaces add column stored_bytes bigint not null default 0 check (stored_bytes >= 0);
-- Filled once, by the migration and not by an act.
alter table storage_namespaces disable trigger guard_act;
alter table storage_namespaces disable trigger guard_audit;
update storage_namespaces n set stored_bytes = b.stored_bytes
from (select o.namespace_id, sum(o.size_bytes) as stored_bytes from storage_objects o group by o.namespace_id) as b
where b.namespace_id = n.id;
alter table storage_namespaces enable trigger guard_act;
alter table storage_namespaces enable trigger guard_audit;
grant update (stored_bytes) on storage_namespaces to gpuaas_api;

-- The notification-relay finds the allocation on a GPU that has a fault, and whether its tenant is told.

grant select (id, allocation_id) on slots to gpuaas_notifier;
grant select (slot_id, tenant_message) on alerts to gpuaas_notifier;

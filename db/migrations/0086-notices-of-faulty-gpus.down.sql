revoke select (slot_id, tenant_message) on alerts from gpuaas_notifier;
revoke select (id, allocation_id) on slots from gpuaas_notifier;

revoke update (last_used_at) on ssh_keys from gpuaas_api;

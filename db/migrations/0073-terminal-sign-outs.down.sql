revoke select (user_id, not_before) on sign_in_floors from gpuaas_worker;

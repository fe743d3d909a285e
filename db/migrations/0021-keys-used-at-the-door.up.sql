-- An allocation becomes active where the answer of its node is taken: the api says then when its keys were last used.
grant update (last_used_at) on ssh_keys to gpuaas_api;

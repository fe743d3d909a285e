revoke update (sealed_tokens) on console_sessions from gpuaas_api;
revoke update (sealed_private_key) on token_signing_keys from gpuaas_api;
drop function sealed_key_id(bytea);

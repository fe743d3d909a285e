-- The id of the key that sealed a text: its second byte says how long it is. Texts from before keys had ids begin with 1.
create function sealed_key_id(p_sealed bytea) returns text language sql immutable strict parallel safe
  as $$ select case get_byte(p_sealed, 0)
    when 2 then convert_from(substring(p_sealed from 3 for get_byte(p_sealed, 1)), 'LATIN1')
    when 1 then 'first' else 'unknown' end $$;
revoke execute on function sealed_key_id(bytea) from public;
grant execute on function sealed_key_id(bytea) to gpuaas_api, gpuaas_worker;

-- When a sealing key is replaced, what it sealed is sealed anew. The three tables below are resealed by acts of the api's
-- role; it may change the sealed text and nothing else of a key that signs tokens.
grant update (sealed_private_key) on token_signing_keys to gpuaas_api;
grant update (sealed_tokens) on console_sessions to gpuaas_api;

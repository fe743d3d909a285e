create or replace function sealed_key_id(p_sealed bytea) returns text language sql immutable strict parallel safe
  as $$ select case get_byte(p_sealed, 0)
    when 2 then convert_from(substring(p_sealed from 3 for get_byte(p_sealed, 1)), 'LATIN1')
    when 1 then 'first' else 'unknown' end $$;

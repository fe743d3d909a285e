-- An empty text was sealed by no key. The first version of this function failed on it, and with it the whole count.
create or replace function sealed_key_id(p_sealed bytea) returns text language sql immutable strict parallel safe
  as $$ select case
    when length(p_sealed) < 2 then 'unknown'
    when get_byte(p_sealed, 0) = 2 then convert_from(substring(p_sealed from 3 for get_byte(p_sealed, 1)), 'LATIN1')
    when get_byte(p_sealed, 0) = 1 then 'first' else 'unknown' end $$;

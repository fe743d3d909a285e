-- What a host can do besides being let whole, by its own last word on itself. Null while it has not said: agents from before
-- this do not, until they are asked again.
alter table nodes add column abilities jsonb
  generated always as (
    case when topology ? 'capabilities'
      then jsonb_path_query_array(topology, '$.capabilities[*] ? (@.able == true).ability') end) stored;

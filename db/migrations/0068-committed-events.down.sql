create or replace function outbox_requeue(p_seq bigint) returns void
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if act_id() is null then
    raise exception 'events are requeued inside an act only' using errcode = 'GP001';
  end if;
  insert into outbox_events (event_id, message_id, subject, key, organization_id, envelope)
    select event_id, event_id || ':' || seq, envelope ->> 'event_type', key, organization_id, envelope
    from dead_letters where seq = p_seq;
end
$$;
drop function outbox_requeue_committed(bigint);
drop function event_committed(bigint, uuid, jsonb);
drop policy sweep on dead_letters;
drop index dead_letters_position;
alter table dead_letters drop column position;

-- A letter of a message that nobody committed kept the letter of the real event out, which could then not be sent again.

-- Makes the open letter of an event and consumer the one of the outbox row at this position, unless it names a row of the event
-- already. What the letter carries is copied from the outbox: a process that may bury events must not be able to change one.
create function dead_letter_confirm(p_event uuid, p_consumer text, p_position bigint, p_attempts integer, p_reason text)
  returns boolean language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if act_id() is null then
    raise exception 'letters are changed inside an act only' using errcode = 'GP001';
  end if;
  update dead_letters d set position = o.position, subject = 'dlq.' || o.subject, key = o.key, organization_id = o.organization_id,
      envelope = o.envelope, attempts = p_attempts, reason = p_reason, version = d.version + 1
    from outbox_events o
    where o.position = p_position and o.event_id = p_event and d.event_id = p_event
      and coalesce(d.consumer, '') = coalesce(p_consumer, '') and d.state = 'open'
      and not exists (select from outbox_events x where x.position = d.position and x.event_id = d.event_id);
  return found;
end
$$;
revoke all on function dead_letter_confirm(uuid, text, bigint, integer, text) from public;
grant execute on function dead_letter_confirm(uuid, text, bigint, integer, text)
  to gpuaas_mailer, gpuaas_notifier, gpuaas_relay, gpuaas_webhooks, gpuaas_worker;

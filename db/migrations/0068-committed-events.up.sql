-- Consumers act on events that the outbox holds, whatever the bus delivers; dead letters name the row of the outbox they are of.
-- Builds one index on dead_letters and finds the outbox rows of open letters once.
alter table dead_letters add column position bigint check (position > 0);
alter table dead_letters disable trigger user;
update dead_letters d set position = o.position from (
  select e.event_id, min(e.position) as position from outbox_events e
  where e.event_id in (select l.event_id from dead_letters l where l.state = 'open') group by 1
) o where d.event_id = o.event_id and d.state = 'open';
alter table dead_letters enable trigger user;
create index dead_letters_position on dead_letters (position) where state = 'open';
-- The sweep of the outbox keeps the rows that open letters name.
create policy sweep on dead_letters for select to gpuaas_relay using (true);

-- Whether the outbox holds this event, whole, at this position. Asked by consumers, which may not read the outbox: it answers
-- only whether the caller knows the event already. Names are written out because a search path of its own costs more than the look.
create function event_committed(p_position bigint, p_event uuid, p_envelope jsonb) returns boolean
  language plpgsql stable security definer as $$
begin
  return exists (
    select from public.outbox_events e where e.position operator(pg_catalog.=) p_position
      and e.event_id operator(pg_catalog.=) p_event and e.envelope operator(pg_catalog.=) p_envelope
  );
end
$$;
revoke all on function event_committed(bigint, uuid, jsonb) from public;
grant execute on function event_committed(bigint, uuid, jsonb)
  to gpuaas_mailer, gpuaas_notifier, gpuaas_webhooks, gpuaas_worker;

-- Copies the row of the outbox that a letter names, not the letter: a process that may bury events must not be able to make one.
-- Answers false when there is no such row.
create function outbox_requeue_committed(p_seq bigint) returns boolean
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if act_id() is null then
    raise exception 'events are requeued inside an act only' using errcode = 'GP001';
  end if;
  insert into outbox_events (event_id, message_id, subject, key, organization_id, envelope)
    select o.event_id, o.event_id || ':' || d.seq, o.subject, o.key, o.organization_id, o.envelope
    from dead_letters d join outbox_events o on o.position = d.position and o.event_id = d.event_id
    where d.seq = p_seq;
  return found;
end
$$;
revoke all on function outbox_requeue_committed(bigint) from public;
grant execute on function outbox_requeue_committed(bigint) to gpuaas_api;

-- The former one copied the letter itself. An api of the release before gets an error from it, and the letter stays open.
create or replace function outbox_requeue(p_seq bigint) returns void
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if not outbox_requeue_committed(p_seq) then
    raise exception 'the outbox does not hold the event of letter %', p_seq using errcode = 'GP001';
  end if;
end
$$;

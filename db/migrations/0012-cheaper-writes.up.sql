-- The same write for less: what every act pays, by whichever domain.

-- Without clock_timestamp, which is volatile, PostgreSQL puts the body in place of the call. With it, each default of
-- each row planned and ran a query of its own.
create or replace function act_time() returns timestamptz language sql stable
  return coalesce(nullif(current_setting('gpuaas.now', true), '')::timestamptz, statement_timestamp());

-- Begin of a write. Answers with the stored reply if the key was used ("fingerprint status body"), and then opens no
-- act: whatever was sent behind this call sees nothing and is refused by guard_act. A reply that is there is told even
-- while somebody holds the key's lock, for then they too are only repeating.
--
-- It needs no rights but the caller's. The settings are one expression because PL/pgSQL evaluates an expression by
-- itself and hands anything else to the executor.
create function act_open(
  p_act text, p_actor text, p_reach text, p_organization text, p_now text,
  p_principal text, p_route text, p_key text
) returns text language plpgsql as $$
declare
  alone boolean;
  stored public.idempotency_records;
  settings text;
begin
  if p_key is not null then
    alone := pg_try_advisory_xact_lock(
      hashtextextended(p_principal || chr(31) || p_route || chr(31) || p_key, 0)
    );
    select * into stored from public.idempotency_records r
      where r.principal = p_principal and r.route = p_route and r.key = p_key;
    if stored.expires_at > p_now::timestamptz then
      return stored.fingerprint || ' ' || stored.status || ' ' || stored.body;
    end if;
    if not alone then
      raise exception 'a request with this idempotency key is running' using errcode = 'GP409';
    end if;
    if stored.key is not null then
      settings := set_config('gpuaas.outlived', p_act, true);
    end if;
  end if;
  settings := set_config('gpuaas.act', p_act, true) || set_config('gpuaas.actor', p_actor, true)
    || set_config('gpuaas.reach', p_reach, true) || set_config('gpuaas.organization', coalesce(p_organization, ''), true)
    || set_config('gpuaas.now', p_now, true);
  return null;
end
$$;

-- Begin of a read. Whatever follows in the transaction cannot write.
create function act_look(p_actor text, p_reach text, p_organization text, p_now text) returns void language plpgsql as $$
declare
  settings text;
begin
  settings := set_config('transaction_read_only', 'on', true) || set_config('gpuaas.actor', p_actor, true)
    || set_config('gpuaas.reach', p_reach, true) || set_config('gpuaas.organization', coalesce(p_organization, ''), true)
    || set_config('gpuaas.now', p_now, true);
end
$$;

-- As the release before this one begins a write: a used key is an error. Goes when that release does.
create or replace function act_begin(
  p_act text, p_actor text, p_reach text, p_organization text, p_project text, p_now text,
  p_principal text, p_route text, p_key text
) returns void language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if act_open(p_act, p_actor, p_reach, p_organization, p_now, p_principal, p_route, p_key) is not null then
    raise exception 'this idempotency key was used' using errcode = 'GP208';
  end if;
  perform set_config('gpuaas.project', coalesce(p_project, ''), true);
end
$$;

-- End of a write, as before. It has its owner's rights and no search_path of its own, which PostgreSQL would set and
-- reset around every call: each name and operator in it says where it lives.
create or replace function act_commit(
  p_act text, p_organization text, p_project text, p_actor text, p_actor_kind text, p_actor_role text, p_action text,
  p_target_type text, p_target_id text, p_result text, p_correlation text, p_change jsonb, p_address text, p_agent text,
  p_event_ids text[], p_message_ids text[], p_subjects text[], p_keys text[], p_envelopes text[],
  p_principal text, p_route text, p_key text, p_fingerprint text, p_status int, p_body text, p_expires text
) returns void language plpgsql security definer as $$
declare
  settings pg_catalog.text;
begin
  insert into public.audit_logs (id, organization_id, project_id, actor_id, actor_kind, actor_role, action, target_type,
      target_id, result, correlation_id, change, actor_address, user_agent)
    values (p_act::pg_catalog.uuid, p_organization::pg_catalog.uuid, p_project::pg_catalog.uuid, p_actor, p_actor_kind,
      p_actor_role, p_action, p_target_type, p_target_id, p_result, p_correlation, p_change, p_address, p_agent);
  if p_event_ids[2] is not null then
    insert into public.outbox_events (event_id, message_id, subject, key, organization_id, envelope)
      select e.id::pg_catalog.uuid, e.message, e.subject, e.key, p_organization::pg_catalog.uuid,
        e.envelope::pg_catalog.jsonb
      from rows from (pg_catalog.unnest(p_event_ids), pg_catalog.unnest(p_message_ids), pg_catalog.unnest(p_subjects),
          pg_catalog.unnest(p_keys), pg_catalog.unnest(p_envelopes))
        with ordinality as e (id, message, subject, key, envelope, n)
      order by e.n;
  elsif p_event_ids[1] is not null then
    insert into public.outbox_events (event_id, message_id, subject, key, organization_id, envelope)
      values (p_event_ids[1]::pg_catalog.uuid, p_message_ids[1], p_subjects[1], p_keys[1],
        p_organization::pg_catalog.uuid, p_envelopes[1]::pg_catalog.jsonb);
  end if;
  if p_key is not null then
    if pg_catalog.current_setting('gpuaas.outlived', true) operator(pg_catalog.=) p_act then
      delete from public.idempotency_records r
        where r.principal operator(pg_catalog.=) p_principal and r.route operator(pg_catalog.=) p_route
          and r.key operator(pg_catalog.=) p_key and r.expires_at operator(pg_catalog.<=) public.act_time();
    end if;
    insert into public.idempotency_records (principal, route, key, fingerprint, status, body, expires_at)
      values (p_principal, p_route, p_key, p_fingerprint, p_status, p_body, p_expires::pg_catalog.timestamptz);
  end if;
  settings := pg_catalog.set_config('gpuaas.audited', p_act, true);
end
$$;

grant execute on function act_look(text, text, text, text),
  act_open(text, text, text, text, text, text, text, text)
  to gpuaas_api, gpuaas_worker, gpuaas_relay;

create or replace function act_time() returns timestamptz language sql stable
  return coalesce(nullif(current_setting('gpuaas.now', true), '')::timestamptz, clock_timestamp());

create or replace function act_begin(
  p_act text, p_actor text, p_reach text, p_organization text, p_project text, p_now text,
  p_principal text, p_route text, p_key text
) returns void language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform set_config('gpuaas.act', p_act, true), set_config('gpuaas.actor', p_actor, true),
    set_config('gpuaas.reach', p_reach, true), set_config('gpuaas.organization', coalesce(p_organization, ''), true),
    set_config('gpuaas.project', coalesce(p_project, ''), true), set_config('gpuaas.now', p_now, true);
  if p_key is not null then
    if not pg_try_advisory_xact_lock(hashtextextended(concat_ws(chr(31), p_principal, p_route, p_key), 0)) then
      raise exception 'a request with this idempotency key is running' using errcode = 'GP409';
    end if;
    if exists (
      select from idempotency_records r
      where r.principal = p_principal and r.route = p_route and r.key = p_key and r.expires_at > p_now::timestamptz
    ) then
      raise exception 'this idempotency key was used' using errcode = 'GP208';
    end if;
  end if;
end
$$;

create or replace function act_commit(
  p_act text, p_organization text, p_project text, p_actor text, p_actor_kind text, p_actor_role text, p_action text,
  p_target_type text, p_target_id text, p_result text, p_correlation text, p_change jsonb, p_address text, p_agent text,
  p_event_ids text[], p_message_ids text[], p_subjects text[], p_keys text[], p_envelopes text[],
  p_principal text, p_route text, p_key text, p_fingerprint text, p_status int, p_body text, p_expires text
) returns void language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  insert into audit_logs (id, organization_id, project_id, actor_id, actor_kind, actor_role, action, target_type,
      target_id, result, correlation_id, change, actor_address, user_agent)
    values (p_act::uuid, p_organization::uuid, p_project::uuid, p_actor, p_actor_kind, p_actor_role, p_action,
      p_target_type, p_target_id, p_result, p_correlation, p_change, p_address, p_agent);
  if p_event_ids is not null then
    insert into outbox_events (event_id, message_id, subject, key, organization_id, envelope)
      select e.id::uuid, e.message, e.subject, e.key, p_organization::uuid, e.envelope::jsonb
      from unnest(p_event_ids, p_message_ids, p_subjects, p_keys, p_envelopes)
        with ordinality as e (id, message, subject, key, envelope, n)
      order by e.n;
  end if;
  if p_key is not null then
    insert into idempotency_records (principal, route, key, fingerprint, status, body, expires_at)
      values (p_principal, p_route, p_key, p_fingerprint, p_status, p_body, p_expires::timestamptz)
      on conflict (principal, route, key) do update
        set fingerprint = excluded.fingerprint, status = excluded.status, body = excluded.body,
          created_at = excluded.created_at, expires_at = excluded.expires_at;
  end if;
  perform set_config('gpuaas.audited', p_act, true);
end
$$;

drop function act_look(text, text, text, text);
drop function act_open(text, text, text, text, text, text, text, text);

create or replace function act_commit(
  p_act text, p_organization text, p_project text, p_actor text, p_actor_kind text, p_actor_role text, p_action text,
  p_target_type text, p_target_id text, p_result text, p_correlation text, p_change jsonb, p_address text, p_agent text,
  p_event_ids text[], p_message_ids text[], p_subjects text[], p_keys text[], p_envelopes text[],
  p_principal text, p_route text, p_key text, p_fingerprint text, p_status int, p_body text, p_expires text,
  p_owner text, p_apart jsonb
) returns void language plpgsql security definer as $$
declare
  settings pg_catalog.text;
  salt pg_catalog.uuid;
  own pg_catalog.jsonb;
  foreigner pg_catalog.jsonb;
  digests pg_catalog.text[] := '{}';
begin
  if p_address is not null or p_agent is not null then
    own := pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object('address', p_address, 'user_agent', p_agent));
  end if;
  if p_apart is not null then
    if p_owner operator(pg_catalog.=) p_actor then
      own := coalesce(own, '{}'::pg_catalog.jsonb) operator(pg_catalog.||) pg_catalog.jsonb_build_object('change', p_apart);
    else
      foreigner := pg_catalog.jsonb_build_object('change', p_apart);
    end if;
  end if;
  if own is not null then
    salt := pg_catalog.gen_random_uuid();
    digests := pg_catalog.array_append(digests, public.particulars_digest(salt, own));
    insert into public.audit_particulars (audit_id, owner, organization_id, salt, particulars)
      values (p_act::pg_catalog.uuid, p_actor, p_organization::pg_catalog.uuid, salt, own);
  end if;
  if foreigner is not null then
    salt := pg_catalog.gen_random_uuid();
    digests := pg_catalog.array_append(digests, public.particulars_digest(salt, foreigner));
    insert into public.audit_particulars (audit_id, owner, organization_id, salt, particulars, about)
      values (p_act::pg_catalog.uuid, p_owner, p_organization::pg_catalog.uuid, salt, foreigner, true);
  end if;
  insert into public.audit_logs (id, organization_id, project_id, actor_id, actor_kind, actor_role, action, target_type,
      target_id, result, correlation_id, change, particulars, committed_by)
    values (p_act::pg_catalog.uuid, p_organization::pg_catalog.uuid, p_project::pg_catalog.uuid, p_actor, p_actor_kind,
      p_actor_role, p_action, p_target_type, p_target_id, p_result, p_correlation, p_change, digests, public.act_family());
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
drop function act_refuse(text);
drop function act_refusal(text, text, text, text[], text[], text);
drop function event_of_family(text, text);

-- Values go back into the log; what was erased stays erased. All rows are sealed again.
drop function person_erase(uuid, text[]);
CREATE OR REPLACE FUNCTION public.person_erase(p_user uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $$
begin
  if act_id() is null or current_setting('gpuaas.reach', true) is distinct from 'platform' then
    raise exception 'people are erased by operators, inside an act only' using errcode = 'GP001';
  end if;
  update platform_role_bindings set deleted_at = act_time() where user_id = p_user and deleted_at is null;
  update users set disabled_at = coalesce(disabled_at, act_time()), disabled_reason = null, erased_at = act_time(),
      oidc_subject = 'erased:' || id
    where id = p_user and erased_at is null;
  update organizations o set deleted_at = act_time()
    where o.deleted_at is null
      and exists (
        select from tenant_memberships m
        where m.organization_id = o.id and m.user_id = p_user and m.deleted_at is null
      )
      and not exists (
        select from tenant_memberships m
        where m.organization_id = o.id and m.user_id <> p_user and m.deleted_at is null
      );
  update tenant_memberships set deleted_at = act_time() where user_id = p_user and deleted_at is null;
  update project_memberships set deleted_at = act_time() where user_id = p_user and deleted_at is null;
  delete from ssh_keys where user_id = p_user;
  delete from console_sessions where user_id = p_user;
  delete from account_sessions where user_id = p_user;
  delete from credential_sightings s using personal_tokens t where t.user_id = p_user and s.credential_id = t.id;
  delete from personal_tokens where user_id = p_user;
  delete from user_names where user_id = p_user;
  delete from user_project_defaults where user_id = p_user;
  delete from notice_marks where user_id = p_user;
  update user_posix_identities set username = 'u' || uid where user_id = p_user;
  update invitations set email = 'erased:' || id, version = version + 1 where accepted_by = p_user;
end
$$;

CREATE OR REPLACE FUNCTION public.posix_username(subject text, uid integer)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
RETURN CASE WHEN (subject ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'::text) THEN ('u'::text || uid) WHEN (split_part(lower(subject), '@'::text, 1) ~ '^[a-z]'::text) THEN ((btrim("left"(regexp_replace(split_part(lower(subject), '@'::text, 1), '[^a-z0-9]+'::text, '-'::text, 'g'::text), 20), '-'::text) || '-'::text) || uid) ELSE ('u'::text || uid) END;

-- Function sealed_key_id(bytea)

CREATE OR REPLACE FUNCTION public.sealed_key_id(p_sealed bytea)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$ select case
    when length(p_sealed) < 2 then 'unknown'
    when get_byte(p_sealed, 0) = 2 then convert_from(substring(p_sealed from 3 for get_byte(p_sealed, 1)), 'LATIN1')
    when get_byte(p_sealed, 0) = 1 then 'first' else 'unknown' end $function$;
grant execute on function sealed_key_id(bytea) to gpuaas_api, gpuaas_worker;

-- Function simulated_hosts_allowed()

CREATE OR REPLACE FUNCTION public.simulated_hosts_allowed()
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
RETURN COALESCE((SELECT (v.value = 'true'::jsonb) FROM policy_values v WHERE ((v.key = 'node.simulated_allowed'::text) AND (v.level = 'global'::text) AND (v.subject_id = ''::text))), false);
grant execute on function simulated_hosts_allowed() to gpuaas_api, gpuaas_worker;

-- Function slots_reserve(uuid[],uuid,boolean)

CREATE OR REPLACE FUNCTION public.slots_reserve(wanted uuid[], holder uuid, patient boolean)
 RETURNS TABLE(id uuid, node_id uuid, slot_index integer, generation bigint)
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
declare
  found_free integer;
begin
  if patient then
    perform 1 from slots s join nodes n on n.id = s.node_id
      where s.id = any (wanted) and s.state = 'available' and s.health_state = 'healthy'
        and n.state = 'active' and host_offered(n.schedulable, n.simulated)
      order by s.id for update of s;
  else
    perform 1 from slots s join nodes n on n.id = s.node_id
      where s.id = any (wanted) and s.state = 'available' and s.health_state = 'healthy'
        and n.state = 'active' and host_offered(n.schedulable, n.simulated)
      order by s.id for update of s skip locked;
  end if;
  get diagnostics found_free = row_count;
  if found_free <> cardinality(wanted) then
    raise exception 'a slot is gone' using errcode = 'GP010';
  end if;
  return query
    update slots s set state = 'reserved', version = s.version + 1, allocation_id = holder, updated_at = act_time(),
      generation = greatest((select max(t.generation) from slots t where t.id = any (wanted)),
        coalesce((select a.generation from allocations a where a.id = holder), 0)) + 1
    where s.id = any (wanted)
    returning s.id, s.node_id, s.slot_index, s.generation;
exception when sqlstate 'GP010' then
  return;
end
$function$;

drop function act_commit(text, text, text, text, text, text, text, text, text, text, text, jsonb, text, text,
  text[], text[], text[], text[], text[], text, text, text, text, int, text, text, text, jsonb);
drop function act_family();
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

alter table audit_logs drop constraint audit_logs_no_mail;
alter table audit_logs drop constraint audit_logs_no_address;
alter table audit_logs disable trigger guard_append_only;
update audit_logs l set actor_address = p.address, user_agent = p.agent, change = l.change || p.apart
  from (
    select audit_id, max(particulars ->> 'address') as address, max(particulars ->> 'user_agent') as agent,
      coalesce(jsonb_object_agg(e.key, e.value) filter (where e.key is not null), '{}') as apart
    from audit_particulars left join lateral jsonb_each(particulars -> 'change') e on true group by audit_id
  ) p where p.audit_id = l.id;
alter table audit_logs enable trigger guard_append_only;
alter table audit_seals disable trigger guard_append_only;
delete from audit_seals;
alter table audit_seals enable trigger guard_append_only;
delete from audit_seal_watermarks;
alter table audit_seals drop column form;
alter table audit_logs drop column committed_by;
alter table audit_logs drop column particulars;
drop function particulars_digest(uuid, jsonb);
drop function audit_change(uuid, jsonb);
drop function audit_place(uuid);
drop function audit_particulars_left(uuid);
drop table audit_particulars;
drop function guard_particulars();

-- Only the api acts for people. Any other process that was taken over can write the audit log in its own name alone, leave
-- the events that are its own, and store no answer for anybody: the database knows who logged in, and refuses the rest.

-- Events that each family but the api may leave; a test compares the list with the contract.
create function event_of_family(p_family text, p_subject text) returns boolean language sql immutable
  return case p_family
    when 'gpuaas_worker' then p_subject in (
      'provisioning.active',
      'provisioning.alert.changed',
      'provisioning.alert.closed',
      'provisioning.alert.opened',
      'provisioning.attested',
      'provisioning.breaker.tripped',
      'provisioning.cleanup.requested',
      'provisioning.drain_called_off',
      'provisioning.drain_notice',
      'provisioning.failed',
      'provisioning.force_release_requested',
      'provisioning.idle',
      'provisioning.node.admitted',
      'provisioning.node.drained',
      'provisioning.node.lost',
      'provisioning.node.quarantined',
      'provisioning.node.reimaged',
      'provisioning.node.removed',
      'provisioning.node.returned',
      'provisioning.queued',
      'provisioning.release_failed',
      'provisioning.releasing.completed',
      'provisioning.releasing.requested',
      'provisioning.requested',
      'provisioning.retried',
      'tenancy.project.removal_failed',
      'tenancy.project.removed'
    )
    when 'gpuaas_billing' then p_subject in ('payments.balance_credited', 'payments.reconcile_failed')
    else false
  end;

-- Why the caller may not commit this, or null. Administrators and migrations act as themselves.
create function act_refusal(
  p_actor text, p_actor_kind text, p_actor_role text, p_subjects text[], p_envelopes text[], p_key text
) returns text language sql stable
  return case
    when act_family() not in ('gpuaas_worker', 'gpuaas_relay', 'gpuaas_mailer', 'gpuaas_billing') then null
    when p_actor_kind <> 'system' or p_actor_role <> 'system' then 'acts in its own name, not in that of a caller'
    when act_family() = 'gpuaas_relay' and p_actor <> 'outbox-relay'
      or act_family() = 'gpuaas_mailer' and p_actor <> 'email-worker'
      or act_family() = 'gpuaas_billing' and p_actor <> 'billing-worker'
      or act_family() = 'gpuaas_worker' and p_actor in ('outbox-relay', 'email-worker', 'billing-worker', 'api', 'identity',
        'service-accounts', 'bootstrap', 'reset-factors') then 'acts under its own name, not as ' || p_actor
    when p_key is not null then 'stores no answers'
    when exists (select from unnest(p_subjects) s where not event_of_family(act_family(), s))
      then 'leaves only events of its own'
    when exists (select from unnest(p_envelopes) e where strpos(e, '"actor_id"') > 0) then 'names no person in an event'
  end;
create function act_refuse(p_why text) returns void language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  raise exception '% %', act_family(), p_why
    using errcode = 'GP007', hint = 'Only the api acts for people; see 0051-acts-of-their-own.';
end
$$;
grant execute on function act_refusal(text, text, text, text[], text[], text), act_refuse(text), event_of_family(text, text)
  to gpuaas_api, gpuaas_worker, gpuaas_relay, gpuaas_mailer, gpuaas_billing;

-- As before, with that question first.
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
  if public.act_refusal(p_actor, p_actor_kind, p_actor_role, p_subjects, p_envelopes, p_key) is not null then
    perform public.act_refuse(public.act_refusal(p_actor, p_actor_kind, p_actor_role, p_subjects, p_envelopes, p_key));
  end if;
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

-- What says who a person is (addresses, names, reasons in free text) leaves the append-only log. It stands in rows beside
-- it that can be erased; the log keeps a salted digest of each, so the chain still covers them while they are there and
-- verifies when they are gone.

create table audit_particulars (
  audit_id uuid not null,
  owner text not null,
  organization_id uuid,
  salt uuid not null,
  particulars jsonb not null,
  -- About somebody else than the actor. Rows of actors are found by the index of the log.
  about boolean not null default false,
  primary key (audit_id, owner)
);
create index audit_particulars_about on audit_particulars (owner) where about;

-- The salt goes with the row, so that nobody can guess an erased value from its digest.
create function particulars_digest(p_salt uuid, p_particulars jsonb) returns text language sql immutable
  return encode(sha256(convert_to(p_salt::text || p_particulars::text, 'UTF8')), 'hex');

alter table audit_logs add column particulars text[] not null default '{}';
-- The database role that committed the row, as the database knows it. Null in rows from before.
alter table audit_logs add column committed_by text;
-- What a link covers: 1 is the row as it was before this migration, 2 has the digests and the role.
alter table audit_seals add column form smallint not null default 1;

-- Rows from before: their values move, and the relay seals all rows again. Verify the chains before this migration.
alter table audit_logs disable trigger guard_append_only;
create temporary table moving on commit drop as
  select l.id, l.organization_id, l.actor_id, l.actor_address, l.user_agent, c.kept, c.apart,
    case when l.target_type = 'user' then l.target_id else l.actor_id end as owner,
    gen_random_uuid() as actor_salt, gen_random_uuid() as owner_salt
  from audit_logs l cross join lateral (
    select coalesce(jsonb_object_agg(e.key, e.value) filter (where e.plain), '{}') as kept,
      jsonb_object_agg(e.key, e.value) filter (where not e.plain) as apart
    from (
      select j.key, j.value,
        j.key ~ '^[[:alnum:]_.:/+=,-]*$'
          and j.key !~ '(^|_)(name|slug|reason|label|mail|email|login|username|subject|address|ip|user_agent|comment|note|description|title|message|detail)$'
          and replace(replace(j.value::text, ', ', ','), ': ', ':') !~ '[^[:alnum:]_.:/+=,"{}\[\]-]'
          and j.value::text !~ '"\d+\.\d+\.\d+\.\d+"' as plain
      from jsonb_each(case when jsonb_typeof(l.change) = 'object' then l.change else '{}' end) j
    ) e
  ) c
  where l.actor_address is not null or l.user_agent is not null or c.apart is not null;
create temporary table moved on commit drop as
  select m.id, m.organization_id, m.actor_id as owner, m.actor_salt as salt,
    jsonb_strip_nulls(jsonb_build_object('address', m.actor_address, 'user_agent', m.user_agent,
      'change', case when m.owner = m.actor_id then m.apart end)) as particulars
  from moving m where m.actor_address is not null or m.user_agent is not null or (m.apart is not null and m.owner = m.actor_id)
  union all
  select m.id, m.organization_id, m.owner, m.owner_salt, jsonb_build_object('change', m.apart)
  from moving m where m.apart is not null and m.owner <> m.actor_id;
insert into audit_particulars (audit_id, owner, organization_id, salt, particulars, about)
  select d.id, d.owner, d.organization_id, d.salt, d.particulars, d.owner <> m.actor_id from moved d join moving m on m.id = d.id;
update audit_logs l set change = m.kept, actor_address = null, user_agent = null,
    particulars = array(select particulars_digest(d.salt, d.particulars) from moved d where d.id = l.id order by 1)
  from moving m where m.id = l.id;
alter table audit_logs enable trigger guard_append_only;
alter table audit_seals disable trigger guard_append_only;
delete from audit_seals;
alter table audit_seals enable trigger guard_append_only;
delete from audit_seal_watermarks;

-- The two columns stay for the release before this one, which still reads them, and stay empty.
alter table audit_logs add constraint audit_logs_no_address check (actor_address is null and user_agent is null);
alter table audit_logs add constraint audit_logs_no_mail
  check (strpos(change::text, '@') = 0 and strpos(target_id || actor_id || correlation_id, '@') = 0);

create trigger guard_act before insert or delete or update or truncate on audit_particulars
  for each statement execute function guard_act();
create constraint trigger guard_audit after insert or delete or update on audit_particulars
  deferrable initially deferred for each row execute function guard_audit();
create function guard_particulars() returns trigger language plpgsql as $$
begin
  raise exception 'particulars are erased, never changed' using errcode = 'GP003', hint = 'See person_erase.';
end
$$;
create trigger guard_particulars before update on audit_particulars
  for each row execute function guard_particulars();
alter table audit_particulars enable row level security;
create policy reach on audit_particulars for select using (within_wall(organization_id));
grant select on audit_particulars to gpuaas_api;

-- What readers see: the change with what is kept beside it, where the actor was, and how much is left. The caller's rights
-- and walls hold; what was erased is missing.
create function audit_change(p_audit uuid, p_change jsonb) returns jsonb language sql stable
  return p_change || coalesce((select jsonb_object_agg(e.key, e.value)
    from audit_particulars p cross join lateral jsonb_each(p.particulars -> 'change') e
    where p.audit_id = p_audit and (p.organization_id is null or mine(p.organization_id))), '{}');
create function audit_place(p_audit uuid) returns jsonb language sql stable
  return (select p.particulars from audit_particulars p
    where p.audit_id = p_audit and not p.about and (p.organization_id is null or mine(p.organization_id)));
create function audit_particulars_left(p_audit uuid) returns integer language sql stable
  return (select count(*)::integer from audit_particulars p
    where p.audit_id = p_audit and (p.organization_id is null or mine(p.organization_id)));
grant execute on function particulars_digest(uuid, jsonb), audit_change(uuid, jsonb), audit_place(uuid),
  audit_particulars_left(uuid) to gpuaas_api;

-- The login of the caller. Tests and administrators log in as themselves and take a role.
create function act_family() returns text language sql stable
  return case when session_user::text ~ '^gpuaas_' then session_user::text
    else coalesce(nullif(nullif(current_setting('role', true), ''), 'none'), session_user::text) end;

-- End of a write. What says who a person is comes apart from the change: the address and the program of the actor, and
-- what else must be erasable, with the person whom it is about. As before it has its owner's rights and no search_path:
-- each name and operator in it says where it lives.
create function act_commit(
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
grant execute on function act_commit(text, text, text, text, text, text, text, text, text, text, text, jsonb, text, text,
    text[], text[], text[], text[], text[], text, text, text, text, int, text, text, text, jsonb), act_family()
  to gpuaas_api, gpuaas_worker, gpuaas_relay, gpuaas_mailer, gpuaas_billing;

-- As the release before this one ends a write: all of its change is kept apart. Goes when that release does.
create or replace function act_commit(
  p_act text, p_organization text, p_project text, p_actor text, p_actor_kind text, p_actor_role text, p_action text,
  p_target_type text, p_target_id text, p_result text, p_correlation text, p_change jsonb, p_address text, p_agent text,
  p_event_ids text[], p_message_ids text[], p_subjects text[], p_keys text[], p_envelopes text[],
  p_principal text, p_route text, p_key text, p_fingerprint text, p_status int, p_body text, p_expires text
) returns void language plpgsql security definer as $$
declare
  whose pg_catalog.text := p_actor;
begin
  if p_target_type operator(pg_catalog.=) 'user' then
    whose := p_target_id;
  end if;
  perform public.act_commit(p_act, p_organization, p_project, p_actor, p_actor_kind, p_actor_role, p_action, p_target_type,
    p_target_id, p_result, p_correlation, '{}'::pg_catalog.jsonb, p_address, p_agent, p_event_ids, p_message_ids,
    p_subjects, p_keys, p_envelopes, p_principal, p_route, p_key, p_fingerprint, p_status, p_body, p_expires,
    whose, p_change);
end
$$;

-- The name of a person on hosts goes into attestations that are kept for ever, so it is a number for everybody new.
create or replace function posix_username(subject text, uid integer) returns text language sql immutable
  return 'u' || uid;

create function person_erase(p_user uuid, p_mails text[]) returns void
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  person text := p_user::text;
begin
  if act_id() is null or current_setting('gpuaas.reach', true) is distinct from 'platform' then
    raise exception 'people are erased by operators, inside an act only' using errcode = 'GP001';
  end if;
  delete from password_letters l using users u where u.id = p_user and l.account_id::text = u.oidc_subject;
  delete from security_letters l using users u where u.id = p_user and l.account_id::text = u.oidc_subject;
  update platform_role_bindings set deleted_at = act_time() where user_id = p_user and deleted_at is null;
  update users set disabled_at = coalesce(disabled_at, act_time()), disabled_reason = null, erased_at = act_time(),
      oidc_subject = 'erased:' || id
    where id = p_user and erased_at is null;
  -- What belonged to this person alone goes with its names.
  update organizations o set deleted_at = act_time(), name = 'Erased', slug = 'erased-' || o.id
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
  delete from policy_values where level = 'user' and subject_id = person;
  update sign_in_floors set reason = 'erased' where user_id = p_user;
  update user_posix_identities set username = 'u' || uid where user_id = p_user;
  update invitations set email = 'erased:' || id, version = version + 1 where accepted_by = p_user;
  update invitations set email = 'erased:' || id, version = version + 1,
      state = case when state = 'pending' then 'revoked' else state end
    where lower(email) = any (p_mails);
  -- Stored answers repeat what they were about. They live for a day, so this looks at few.
  delete from idempotency_records r where r.principal = person or strpos(r.body, person) > 0
    or exists (select from unnest(p_mails) m where strpos(lower(r.body), m) > 0);
  delete from audit_particulars p using audit_logs l where l.actor_id = person and p.audit_id = l.id and p.owner = person;
  delete from audit_particulars where about and owner = person;
end
$$;
grant execute on function person_erase(uuid, text[]) to gpuaas_api;
create or replace function person_erase(p_user uuid) returns void
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform person_erase(p_user, '{}');
end
$$;

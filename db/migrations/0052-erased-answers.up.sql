-- Erasing a person leaves the idempotency keys of others in place: a stored answer that names the person loses its text, and
-- its request is refused when it is repeated. A text that is no mail address is not looked for in the answers of others.
create or replace function person_erase(p_user uuid, p_mails text[]) returns void
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
  -- Stored answers repeat what they were about. Those of this person go: nobody can repeat their requests. Those of others
  -- lose their text and keep their key, so that a repeated request is refused and does not run again.
  delete from idempotency_records where principal = person;
  update idempotency_records r set body = '' where strpos(r.body, person) > 0
    or exists (select from unnest(p_mails) m where m like '_%@_%._%' and strpos(lower(r.body), m) > 0);
  delete from audit_particulars p using audit_logs l where l.actor_id = person and p.audit_id = l.id and p.owner = person;
  delete from audit_particulars where about and owner = person;
end
$$;

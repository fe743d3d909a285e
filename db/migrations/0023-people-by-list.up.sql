-- People can be switched off and erased, and there is always somebody left who may do everything.

alter table users
  add column disabled_at timestamptz,
  add column disabled_reason text,
  add column erased_at timestamptz,
  add constraint users_disabled_reason_check check (length(disabled_reason) between 3 and 500) not valid,
  add constraint users_erased_check check (erased_at is null or disabled_at is not null) not valid;
grant update (disabled_at, disabled_reason) on users to gpuaas_api;

alter table platform_role_bindings add column granted_by text;

-- Whoever takes the role of a superadmin away, or switches a superadmin off, waits here for everybody else who does, and
-- then looks: of two operators who remove each other at the same moment the second one is refused.
create function guard_last_operator() returns trigger
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if tg_table_name = 'users' then
    if not exists (
      select from platform_role_bindings b
      where b.user_id = new.id and b.role = 'platform_superadmin' and b.deleted_at is null
    ) then
      return null;
    end if;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('gpuaas.last_operator', 0));
  if not exists (
    select from platform_role_bindings b join users u on u.id = b.user_id
    where b.role = 'platform_superadmin' and b.deleted_at is null and u.disabled_at is null
  ) then
    raise exception 'somebody has to stay who may do everything'
      using errcode = 'GP006', hint = 'Make somebody else a superadmin first.';
  end if;
  return null;
end
$$;
create trigger guard_last_operator_revoke after update of deleted_at on platform_role_bindings for each row
  when (old.role = 'platform_superadmin' and old.deleted_at is null and new.deleted_at is not null)
  execute function guard_last_operator();
create trigger guard_last_operator_delete after delete on platform_role_bindings for each row
  when (old.role = 'platform_superadmin' and old.deleted_at is null)
  execute function guard_last_operator();
create trigger guard_last_operator after update of disabled_at on users for each row
  when (old.disabled_at is null and new.disabled_at is not null)
  execute function guard_last_operator();

-- Takes away everything that says who somebody was. The row stays, for the ids that audit rows and bills point at. The name
-- on hosts becomes a number; a name that was given is never given again, because its number is not.
create function person_erase(p_user uuid) returns void
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
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
grant execute on function person_erase(uuid) to gpuaas_api;

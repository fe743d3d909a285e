-- An invitation is worth what its inviter may give at the moment when it is accepted. One whose inviter has left, was
-- demoted or disabled opens nothing. The inviter's membership is locked, so that a removal either comes first or waits.
create or replace function invitation_open(p_hash text)
  returns table (invitation uuid, organization uuid, granted text)
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if act_id() is null then
    raise exception 'invitations are accepted inside an act only' using errcode = 'GP001';
  end if;
  select i.id, i.organization_id, i.role into invitation, organization, granted
    from invitations i
      join organizations o on o.id = i.organization_id and o.deleted_at is null
      join users u on u.id = i.invited_by and u.disabled_at is null
      join tenant_memberships m on m.user_id = i.invited_by and m.organization_id = i.organization_id
        and m.deleted_at is null and (m.role = 'owner' or (m.role = 'admin' and i.role <> 'owner'))
    where i.token_hash = p_hash and i.state = 'pending' and i.expires_at > act_time()
    for share of m;
  if not found then
    return;
  end if;
  perform set_config('gpuaas.organization', organization::text, true),
    set_config('gpuaas.reach', 'organization', true);
  return next;
end
$$;

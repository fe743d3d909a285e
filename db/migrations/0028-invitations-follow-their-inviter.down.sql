create or replace function invitation_open(p_hash text)
  returns table (invitation uuid, organization uuid, granted text)
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if act_id() is null then
    raise exception 'invitations are accepted inside an act only' using errcode = 'GP001';
  end if;
  select i.id, i.organization_id, i.role into invitation, organization, granted
    from invitations i join organizations o on o.id = i.organization_id and o.deleted_at is null
    where i.token_hash = p_hash and i.state = 'pending' and i.expires_at > act_time();
  if not found then
    return;
  end if;
  perform set_config('gpuaas.organization', organization::text, true),
    set_config('gpuaas.reach', 'organization', true);
  return next;
end
$$;

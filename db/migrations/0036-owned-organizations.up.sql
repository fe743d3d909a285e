-- How many organizations the person of this act owns. The walls show an act one organization, so the count sees over
-- them, and answers for nobody else. The lock keeps two requests of one person from passing the limit together.
create function organizations_owned() returns integer
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if act_id() is null then
    raise exception 'owned organizations are counted inside an act only' using errcode = 'GP001';
  end if;
  perform pg_advisory_xact_lock(hashtextextended('organizations ' || current_setting('gpuaas.actor'), 0));
  return (
    select count(*) from tenant_memberships m join organizations o on o.id = m.organization_id
    where m.user_id::text = current_setting('gpuaas.actor') and m.role = 'owner' and m.deleted_at is null
      and o.deleted_at is null
  );
end
$$;
revoke execute on function organizations_owned() from public;
grant execute on function organizations_owned() to gpuaas_api;

-- The process that writes letters has a role of its own: it reads what a letter says, and no key, session or host. What
-- gpuaas_worker may do for letters is taken from it in a later release, since the release before this one writes them as it.
do $$
begin
  if not exists (select from pg_roles where rolname = 'gpuaas_mailer') then
    create role gpuaas_mailer nologin nosuperuser nocreatedb nocreaterole nobypassrls;
  end if;
exception
  when duplicate_object or unique_violation then null;
end
$$;
grant usage on schema public to gpuaas_mailer;
grant execute on function act_begin(text, text, text, text, text, text, text, text, text), act_id(), act_time(),
  act_look(text, text, text, text), act_open(text, text, text, text, text, text, text, text),
  act_view(text, text, text, text, text), guard_act(), guard_append_only(), guard_audit(), guard_machine(), is_me(uuid),
  mine(uuid), within_self(uuid), within_wall(uuid),
  act_commit(text, text, text, text, text, text, text, text, text, text, text, jsonb, text, text, text[], text[], text[], text[],
    text[], text, text, text, text, integer, text, text) to gpuaas_mailer;

grant select on machine_edges, policy_values, schema_migrations to gpuaas_mailer;
grant select, insert on consumed_events, dead_letters, mail_deliveries to gpuaas_mailer;
grant select, delete on password_letters to gpuaas_mailer;
grant select on user_names to gpuaas_mailer;
grant select (id, organization_id, email, role, state, expires_at, token_hash, invited_by) on invitations to gpuaas_mailer;
grant select (id, name) on organizations to gpuaas_mailer;
grant select (user_id, username) on user_posix_identities to gpuaas_mailer;
-- The policies of the tables above look into it.
grant select (organization_id, user_id, deleted_at) on tenant_memberships to gpuaas_mailer;

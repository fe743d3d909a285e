drop table consumed_events, dead_letters, relay_watermarks, idempotency_records, outbox_events, audit_logs,
  token_denials, projects, tenant_memberships, organizations, platform_role_bindings, users, machine_edges cascade;
drop function outbox_rewind();
drop function outbox_requeue(bigint);
drop function act_commit(text, text, text, text, text, text, text, text, text, text, text, jsonb, text, text, text[],
  text[], text[], text[], text[], text, text, text, text, int, text, text);
drop function act_begin(text, text, text, text, text, text, text, text, text);
drop function act_view(text, text, text, text, text);
drop function guard_machine();
drop function guard_append_only();
drop function guard_audit();
drop function guard_act();
drop function within_self(uuid);
drop function within_wall(uuid);
drop function is_me(uuid);
drop function mine(uuid);
drop function act_time();
drop function act_id();
revoke select on schema_migrations from gpuaas_api, gpuaas_worker, gpuaas_relay;
revoke usage on schema public from gpuaas_api, gpuaas_worker, gpuaas_relay;
alter default privileges grant execute on functions to public;
grant usage on schema public to public;

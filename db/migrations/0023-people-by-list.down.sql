drop function person_erase(uuid);
drop trigger guard_last_operator on users;
drop trigger guard_last_operator_delete on platform_role_bindings;
drop trigger guard_last_operator_revoke on platform_role_bindings;
drop function guard_last_operator();
alter table platform_role_bindings drop column granted_by;
revoke update (disabled_at, disabled_reason) on users from gpuaas_api;
alter table users drop column erased_at, drop column disabled_reason, drop column disabled_at;

revoke update, delete on token_denials from gpuaas_api;
drop function credentials_seen(jsonb, jsonb);
drop table personal_tokens, credential_sightings, account_sessions;
drop index token_denials_expiry;
alter table token_denials drop constraint token_denials_pkey;
-- Denials of sessions and people mean nothing to the older schema. They are dropped here as by the migrator itself.
alter table token_denials disable trigger guard_act;
alter table token_denials disable trigger guard_audit;
delete from token_denials where kind <> 'token';
alter table token_denials enable trigger guard_act;
alter table token_denials enable trigger guard_audit;
alter table token_denials add primary key (token_id);
alter table token_denials drop column spares, drop column issued_before, drop column kind;

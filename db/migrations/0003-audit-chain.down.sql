drop policy sealer on audit_logs;
revoke select on audit_logs from gpuaas_relay;
drop table audit_seals, audit_seal_watermarks;
drop index audit_logs_transaction, audit_logs_actor, audit_logs_target;

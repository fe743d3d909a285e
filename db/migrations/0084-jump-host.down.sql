drop index ssh_keys_fingerprint;
alter table terminal_sessions drop column ssh_key_id;
drop table ssh_platform_keys;

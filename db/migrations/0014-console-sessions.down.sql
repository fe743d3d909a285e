drop function console_tokens_renew(uuid, bigint, bytea);
drop function console_tokens_claim(uuid, bigint, timestamptz, timestamptz);
drop table console_sessions;

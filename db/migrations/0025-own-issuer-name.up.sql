-- People of our own provider are kept under its name, not under its address, so that an installation can move. Its address
-- ended in /oidc and its subjects are version 7 UUIDs. Where the same account was met under two addresses, the first
-- person stays the one; the others cannot be signed in to any more, as before.
alter table users disable trigger guard_act;
alter table users disable trigger guard_audit;
update users set oidc_issuer = 'urn:gpuaas:own-issuer' where id in (
  select distinct on (oidc_subject) id from users
  where oidc_issuer ~ '^https?://.*/oidc$'
    and oidc_subject ~ '^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$'
  order by oidc_subject, created_at, id
);
alter table users enable trigger guard_act;
alter table users enable trigger guard_audit;

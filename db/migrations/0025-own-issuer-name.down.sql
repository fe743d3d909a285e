-- The address that people were kept under is not known here: whoever goes back names it, as
-- update users set oidc_issuer = '<public URL>/oidc' where oidc_issuer = 'urn:gpuaas:own-issuer'.
select 1;

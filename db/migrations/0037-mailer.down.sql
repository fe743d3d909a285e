revoke all on all tables in schema public from gpuaas_mailer;
revoke all on all functions in schema public from gpuaas_mailer;
revoke usage on schema public from gpuaas_mailer;

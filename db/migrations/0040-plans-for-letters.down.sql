revoke select (plan) on organizations from gpuaas_mailer;

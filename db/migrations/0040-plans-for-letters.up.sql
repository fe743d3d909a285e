-- How many letters somebody may get is a policy, and policies are set for plans too.
grant select (plan) on organizations to gpuaas_mailer;

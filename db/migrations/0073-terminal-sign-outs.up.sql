-- The guard of terminals, in the provisioning-worker, ends the shells of a person whose sign-ins were ended. It reads the moment
-- and not the names of the sign-ins that were spared.
grant select (user_id, not_before) on sign_in_floors to gpuaas_worker;

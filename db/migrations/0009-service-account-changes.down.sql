revoke delete on service_account_projects from gpuaas_api;

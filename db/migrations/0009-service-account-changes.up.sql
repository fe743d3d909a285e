-- The projects of an organization's service account may change, so a line of the list may go.

grant delete on service_account_projects to gpuaas_api;

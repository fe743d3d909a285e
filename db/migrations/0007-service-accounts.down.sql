drop table token_signing_keys, assertion_uses, service_account_keys, service_account_projects, service_accounts;
delete from machine_edges where machine = 'service_account';

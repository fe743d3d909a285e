drop trigger billing_account on organizations;
drop view ledger_postings;
drop table ledger_seals, ledger_entries, billing_accounts;
drop schema ledger_months;
drop function billing_account_open(), ledger_seal(), ledger_months_ahead(timestamptz), ledger_adds_up(text[], bigint[]),
  ledger_text(uuid, uuid, text, text, timestamptz, text[], bigint[], uuid, text, text, text, uuid, bytea),
  ledger_hash(bytea, bigint, bigint, bigint, text);
alter table organizations drop constraint organizations_id_currency_key;
revoke all on schema_migrations, machine_edges, organizations, tenant_memberships, projects, policy_values, token_denials
  from gpuaas_billing;
revoke all on all functions in schema public from gpuaas_billing;
revoke usage on schema public from gpuaas_billing;

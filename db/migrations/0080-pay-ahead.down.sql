-- A release of before lets organizations pay later by default, so nothing has to be stored for it.
alter table policy_values disable trigger user;
delete from policy_values where key = 'billing.enforce_balance' and level = 'global'
  and reason = 'Organizations of this installation paid later before paying ahead became the default.';
alter table policy_values enable trigger user;

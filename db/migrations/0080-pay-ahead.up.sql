-- Organizations pay ahead where nothing else is said. An installation that has organizations keeps what held for them before: they pay
-- later, until an operator sets the policy. A value that an operator has set stays as it is.
alter table policy_values disable trigger user;
insert into policy_values (id, key, level, subject_id, value, reason, created_at, updated_at)
select gen_random_uuid(), 'billing.enforce_balance', 'global', '', 'false',
  'Organizations of this installation paid later before paying ahead became the default.', now(), now()
where exists (select from organizations)
on conflict (key, level, subject_id) do nothing;
alter table policy_values enable trigger user;

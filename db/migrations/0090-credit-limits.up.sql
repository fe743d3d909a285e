-- Credit that a second person approves may have an end of its own, and what one person gives to all accounts is counted by day.
alter table billing_adjustments add column credit_expires_at timestamptz,
  add constraint billing_adjustments_credit_end check (credit_expires_at is null or line_kind = 'credit');
create index credit_grants_created on credit_grants (created_at);

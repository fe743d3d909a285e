drop index credit_grants_created;
alter table billing_adjustments drop constraint billing_adjustments_credit_end, drop column credit_expires_at;

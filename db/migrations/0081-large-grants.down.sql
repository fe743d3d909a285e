-- Requests for credit are forgotten; credit that was given stays in the ledger.
alter table billing_adjustments disable trigger user;
delete from billing_adjustments where line_kind = 'credit';
alter table billing_adjustments enable trigger user;
alter table billing_adjustments drop constraint billing_adjustments_line, drop constraint billing_adjustments_line_kind_check,
  drop constraint billing_adjustments_direction;
alter table billing_adjustments add constraint billing_adjustments_line_kind_check check (line_kind in ('usage', 'grant')),
  add constraint billing_adjustments_direction check ((line_kind = 'usage') = (amount_minor > 0));
alter table billing_adjustments alter column line_id set not null, alter column corrects set not null;

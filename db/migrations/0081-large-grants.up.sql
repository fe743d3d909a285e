-- A large grant waits for a second person, as a large correction does. It corrects no line.
alter table billing_adjustments alter column line_id drop not null, alter column corrects drop not null;
alter table billing_adjustments drop constraint billing_adjustments_line_kind_check, drop constraint billing_adjustments_direction;
alter table billing_adjustments add constraint billing_adjustments_line_kind_check check (line_kind in ('usage', 'grant', 'credit')),
  -- Usage is charged by evidence alone, so it is only ever given back; a grant is only ever taken back.
  add constraint billing_adjustments_direction check ((line_kind in ('usage', 'credit')) = (amount_minor > 0)),
  add constraint billing_adjustments_line check ((line_kind = 'credit') = (line_id is null) and (line_kind = 'credit') = (corrects is null));

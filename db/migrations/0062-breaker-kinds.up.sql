-- Automation quarantines slots and does nothing else with hosts. No program has ever asked for another kind, so there is no such row.
alter table automation_breakers
  drop constraint automation_breakers_kind_check,
  add constraint automation_breakers_kind_check check (kind in ('quarantine'));

alter table automation_breakers
  drop constraint automation_breakers_kind_check,
  add constraint automation_breakers_kind_check check (kind in ('quarantine', 'drain', 'update'));

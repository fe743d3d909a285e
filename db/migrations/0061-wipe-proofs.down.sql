drop trigger guard_wipe on slots;
drop function guard_wipe();
drop function slot_wipe_proof(slots);
alter table slots
  drop constraint slots_wipe_waived,
  drop constraint slots_sold_clean,
  drop column wipe_waived_reason,
  drop column wipe_waived_by,
  drop column wipe_waived_at,
  drop column wipe_owed_since;

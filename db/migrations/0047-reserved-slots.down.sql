drop function capacity_kept(uuid, timestamptz, boolean, integer, uuid[]);
drop function reserved_slots(uuid, timestamptz);
alter table queue_reservations drop column slot_ids;

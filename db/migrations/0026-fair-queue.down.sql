drop function capacity_kept(uuid, timestamptz, boolean);
drop table queue_reservations;

drop function capacity_kept(uuid, timestamptz, boolean, integer);

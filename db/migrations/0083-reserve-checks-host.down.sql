drop function slots_reserve(uuid[], uuid, boolean, double precision, boolean, timestamptz, boolean, integer);

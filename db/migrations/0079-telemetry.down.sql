drop function telemetry_prune(timestamptz, timestamptz, integer);
drop function telemetry_roll(timestamptz, integer);
drop function telemetry_record(uuid, timestamptz, timestamptz, jsonb);
drop table telemetry_points;

drop table usage_days, usage_windows, usage_meters, usage_evidence;
drop function usage_evidence_apart(), id_at(timestamptz),
  usage_text(uuid, uuid, uuid, uuid, text, text, uuid, text, text, text, timestamptz, timestamptz, bigint, bigint, numeric,
    bigint, bigint, bytea);

drop function node_logs_prune(timestamptz, timestamptz, integer);
drop function node_logs_last();
drop function node_logs_record(uuid, timestamptz, timestamptz, jsonb);
drop table node_log_lines;

drop table terminal_recording_chunks;
drop table terminal_recordings;

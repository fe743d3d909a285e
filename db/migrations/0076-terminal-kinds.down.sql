alter table terminal_sessions drop column port, drop column kind;

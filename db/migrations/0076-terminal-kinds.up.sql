-- What a terminal session carries: a shell, the bytes of an SSH connection, or connections to one port.

alter table terminal_sessions
  add column kind text not null default 'shell' check (kind in ('shell', 'ssh', 'forward')),
  add column port integer check (port between 1 and 65535),
  add constraint terminal_sessions_port check ((kind = 'forward') = (port is not null));

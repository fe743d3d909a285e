insert into machine_edges (machine, from_state, to_state) values
  ('slot', 'cleanup_blocked', 'disabled'),
  ('slot', 'quarantined', 'disabled');

-- A retired host that could not be imaged again is not to come back before somebody has looked.
insert into machine_edges (machine, from_state, to_state) values ('node', 'retired', 'quarantined');

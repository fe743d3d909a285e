delete from machine_edges where machine = 'node' and from_state = 'retired' and to_state = 'quarantined';

-- A slot that is blocked or in quarantine comes back by a probe alone. Disabling it and enabling it again was a way round.
delete from machine_edges
where machine = 'slot' and from_state in ('cleanup_blocked', 'quarantined') and to_state = 'disabled';

-- The link of an entry is found by its time.
create index ledger_seals_time on ledger_seals (organization_id, last_at);

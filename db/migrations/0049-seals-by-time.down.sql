drop index ledger_seals_time;

drop policy charges on ledger_entries;
create policy charges on ledger_entries for insert to gpuaas_billing with check (kind = 'usage');
drop table payment_customers, payment_refunds, payment_events, payment_sessions;
delete from machine_edges where machine = 'payment';

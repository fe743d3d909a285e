drop policy charges on ledger_entries;
create policy charges on ledger_entries for insert to gpuaas_billing with check (
  kind in ('usage', 'top_up', 'refund', 'hold', 'hold_release')
  or kind = 'correction' and accounts in ('{customer,payments}', '{customer,tax,payments}'));
drop trigger track_credit on ledger_entries;
drop function credit_grant_open();
drop table credit_grants;

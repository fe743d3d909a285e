drop function slots_reserve(uuid[], uuid, boolean);
drop policy own on ssh_keys;
alter table slots alter constraint slots_allocation_id_fkey not deferrable;

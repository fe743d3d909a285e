drop function lease_hold(text, bigint), lease_leave(text, bigint), lease_renew(text, bigint, boolean, integer),
  lease_take(text, text, boolean, integer);
drop table leases;

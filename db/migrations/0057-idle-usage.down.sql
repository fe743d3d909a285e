drop function usage_idle_sample(integer, bigint, bigint);
drop table usage_idle_days;
drop index usage_days_day;

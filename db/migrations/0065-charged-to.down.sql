drop index usage_meters_behind;
drop index usage_meters_charged;

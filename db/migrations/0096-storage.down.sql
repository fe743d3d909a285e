drop table storage_grants;
drop table storage_objects;
drop table storage_uploads;
drop table storage_blobs;
drop table storage_namespaces;
drop table storage_buckets;

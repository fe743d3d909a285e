drop table storage_tokens;
drop table storage_links;

alter table allocations drop column missing_boot_id;

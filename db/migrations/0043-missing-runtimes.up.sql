-- The boot of the host in which its report first did not name the machine of this allocation. Only a report from another
-- boot ends the allocation: an agent that lost its state forgets machines that still run, a restart of the host ends them.
alter table allocations add column missing_boot_id uuid;

-- Takes back 0008-capacity.

delete from machine_edges where machine in ('allocation', 'node', 'node_task', 'signer', 'slot');
alter table slots drop constraint slots_allocation_id_fkey;
drop table node_tasks;
drop table readiness_attestations;
drop table allocation_timeline;
drop table allocation_ssh_keys;
drop table placement_decisions;
drop table allocation_claims;
drop table allocations;
drop table allocation_groups;
drop table slots;
drop table task_signers;
drop table node_certificates;
drop table node_enrolments;
drop table node_image_cache;
drop table node_reports;
drop table nodes;
drop table os_images;
drop table sku_prices;
drop table skus;
drop table regions;

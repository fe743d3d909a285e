drop index readiness_attestations_task;
drop index node_tasks_saga_token;

-- One question of a saga is one task, and one task swears once, however often either is tried.
create unique index node_tasks_saga_token on node_tasks (saga_token) where saga_token is not null;
create unique index readiness_attestations_task on readiness_attestations (task_id);

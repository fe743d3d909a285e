-- Whether the saga that waits for a task has been told how it ended. What was not told is told again.
alter table node_tasks add column saga_answered_at timestamptz;
create index node_tasks_unanswered on node_tasks (finished_at) where saga_token is not null and saga_answered_at is null;

drop index node_tasks_unanswered;
alter table node_tasks drop column saga_answered_at;

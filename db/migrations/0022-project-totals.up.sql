-- Counts by state and lists of one person's allocations are read from an index, however long the history of a project is.
create index allocations_project_state on allocations (project_id, organization_id, state, id);
create index allocations_project_requester on allocations (project_id, organization_id, requested_by, id);

-- A request that waits in the queue has a moment at which it gives up. The code sets it; the table now demands it.
alter table allocations
  add constraint allocations_queue_deadline_check
    check ((placement_status = 'queued') <= (queue_deadline_at is not null)) not valid;

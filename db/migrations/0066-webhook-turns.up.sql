-- Finds the next deliveries of each webhook without reading all that is due: a webhook with many does not slow the others.
-- Builds one index on webhook_deliveries: the webhook-worker waits for as long as that takes.
create index webhook_deliveries_turn on webhook_deliveries (webhook_id, due_at) where outcome = 'waiting';
